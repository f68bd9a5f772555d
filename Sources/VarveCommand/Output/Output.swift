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

  /// Writes the bytes of a document to an open file.
  ///
  /// - Parameter place: what people call the file.
  static func bytes(_ bytes: [UInt8], to descriptor: Int32, at place: String) throws {
    guard try bytes.withUnsafeBytes({ try write($0, to: descriptor) }) else {
      throw failure("the document", at: place)
    }
  }

  /// What the system refused last, as an error.
  static func failure(_ what: String, at place: String, remedy: String? = nil) -> VarveError {
    let isFull = errno == ENOSPC || errno == EDQUOT
    return VarveError(
      isFull ? .diskFull : .inputOutput,
      "\(what) cannot be written: \(String(cString: strerror(errno)))",
      at: place,
      remedy: remedy ?? (isFull ? "Free some space." : "Check the folder and its permissions.")
    )
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
    guard try text.withUTF8({ try write(UnsafeRawBufferPointer($0), to: descriptor) }) else {
      throw failure("the answer", at: "standard output", remedy: "What was committed stays so.")
    }
  }

  /// Writes all bytes; false where the system refuses, as `errno` tells.
  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EPIPE {
        throw Closed()
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
