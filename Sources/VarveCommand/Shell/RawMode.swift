#if CommandLine
import Foundation

/// A terminal that passes each key on at once, until the mode ends.
struct RawMode {
  private let former: termios

  /// The settings that a signal restores before it ends the process.
  private nonisolated(unsafe) static var restored = termios()

  /// Begins the mode; nil if standard input is no terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    former = settings
    Self.restored = settings
    for number in [SIGTERM, SIGHUP] {
      signal(number) { number in
        // These calls are allowed in a handler.
        tcsetattr(STDIN_FILENO, TCSANOW, &RawMode.restored)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    cfmakeraw(&settings)
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) == 0 else { return nil }
  }

  /// Restores the former settings.
  func end() {
    var settings = former
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    for number in [SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}
#endif
