import Foundation
import VarveCore

/// Standard output and the terminal behind it, if there is one.
enum Output {
  /// Whoever reads the output stopped reading. Not an error: the command ends quietly.
  struct Closed: Error {}

  /// Writes a text and a line's end.
  static func line(_ text: String) throws { try write(text + "\n", to: STDOUT_FILENO) }

  /// Writes a text as it is.
  static func text(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

  /// Writes bytes as they are.
  static func bytes(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0, to: STDOUT_FILENO) }
  }

  /// Writes a line over the last one on standard error.
  static func rewrite(_ line: String) { try? write("\r\u{1B}[K\(line)", to: STDERR_FILENO) }

  /// Writes a line for people where programs do not look.
  static func note(_ text: String) { try? write(text + "\n", to: STDERR_FILENO) }

  /// How many columns a line may have; nil where the output is not a terminal.
  static var columns: Int? { columns(of: STDOUT_FILENO) }

  /// How wide the terminal behind a descriptor is; nil where there is none.
  static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether answers go to a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EPIPE {
        throw Closed()
      } else if errno != EINTR {
        throw VarveError(
          errno == ENOSPC ? .diskFull : .inputOutput,
          "the answer cannot be written: \(String(cString: strerror(errno)))",
          at: "standard output",
          remedy: "What was committed stays so."
        )
      }
    }
  }
}
