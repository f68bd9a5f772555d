#if CommandLine
import Foundation
import VarveCore

/// Standard output and its terminal, if there is one.
enum Output {
  /// The reader closed the output. This is not an error: the command ends silently.
  struct Closed: Error {}

  /// Writes a text and a line feed.
  static func line(_ text: String) throws { try write(text + "\n", to: STDOUT_FILENO) }

  /// Writes one or more JSON documents.
  static func documents(_ text: String) throws {
    try self.text(isTerminal ? text.printableJSON : text)
  }

  /// Writes a text as it is.
  static func text(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

  /// Writes the bytes of a document to an open file.
  ///
  /// - Parameter place: the name of the file in messages.
  static func bytes(_ bytes: [UInt8], to descriptor: Int32, at place: String) throws {
    guard try bytes.withUnsafeBytes({ try write($0, to: descriptor) }) else {
      throw failure("the document", at: place)
    }
  }

  /// Returns the last system error as an error of Varve.
  static func failure(_ what: String, at place: String, remedy: String? = nil) -> VarveError {
    let error = VarveError.system(errno, "\(what) cannot be written", at: place)
    return VarveError(error.code, error.message, at: place, remedy: remedy ?? error.remedy)
  }

  /// Writes a line to standard error in place of the previous one.
  static func rewrite(_ line: String) { try? write("\r\u{1B}[K\(line)", to: STDERR_FILENO) }

  /// Writes a note for people to standard error.
  static func remark(_ text: String) {
    note("varve: \(Style.yellow("note:", on: STDERR_FILENO)) \(text.printableLines)")
  }

  /// Writes a line to standard error.
  static func note(_ text: String) { try? write(text + "\n", to: STDERR_FILENO) }

  /// The maximum number of columns of a line; nil if the output is not a terminal.
  static var columns: Int? { columns(of: STDOUT_FILENO) }

  /// Returns the width of the terminal of a descriptor; nil if there is none.
  static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The number of rows of the terminal; nil if standard output or standard input is none.
  static var rows: Int? {
    guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) throws {
    var text = text
    guard try text.withUTF8({ try write(UnsafeRawBufferPointer($0), to: descriptor) }) else {
      throw failure("the output", at: "standard output", remedy: "Committed changes remain.")
    }
  }

  /// Writes all bytes. Returns false if the system fails, with the reason in `errno`.
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
#endif
