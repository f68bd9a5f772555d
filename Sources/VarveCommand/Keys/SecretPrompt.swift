#if CommandLine
import Foundation
import VarveCore

/// Asks for a secret on the terminal of the process, without showing what is typed.
enum SecretPrompt {
  /// Returns the line that was typed; nil if there is nobody to ask.
  ///
  /// - Throws: ``VarveError`` with code `cancelled` if ^C or ^D is typed.
  static func ask(_ prompt: String) throws -> String? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var former = termios()
    guard tcgetattr(terminal, &former) == 0 else { return nil }
    var silent = former
    // Keys arrive one by one, ^C among them, so that the terminal is restored whatever is typed.
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
    guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
    defer { tcsetattr(terminal, TCSAFLUSH, &former) }
    try Output.bytes(Array(prompt.utf8), to: terminal, at: "/dev/tty")
    defer { try? Output.bytes([UInt8(ascii: "\n")], to: terminal, at: "/dev/tty") }
    return try line(from: terminal)
  }

  private static func line(from terminal: Int32) throws -> String {
    var typed: [UInt8] = []
    defer { typed.withUnsafeMutableBytes { Secret.wipe($0) } }
    while true {
      var byte: UInt8 = 0
      let count = read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      switch byte {
      case _ where count <= 0, 0x03: throw cancelled
      case 0x04:
        guard !typed.isEmpty else { throw cancelled }
        return String(decoding: typed, as: UTF8.self)
      case 0x0A, 0x0D: return String(decoding: typed, as: UTF8.self)
      // ^U begins anew.
      case 0x15: typed.removeAll(keepingCapacity: true)
      case 0x08, 0x7F: dropCharacter(&typed)
      default: typed.append(byte)
      }
    }
  }

  /// Drops the last character, whose later bytes in UTF-8 begin with the bits 10.
  private static func dropCharacter(_ typed: inout [UInt8]) {
    while let last = typed.popLast(), last & 0xC0 == 0x80 {}
  }

  private static var cancelled: VarveError {
    VarveError(.cancelled, "nothing was typed", remedy: "Run the command again.")
  }
}
#endif
