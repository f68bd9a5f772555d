import Foundation
import VarveCore

/// A field of a comma-separated document.
struct CommaSeparatedField {
  var text: String
  /// Whether it is quoted; an empty field that is not has no value.
  var isQuoted: Bool
}

/// Reads the rows of a comma-separated document (RFC 4180) one by one. Another character may stand
/// for the comma.
///
/// Lines end in CR LF or LF. A CR alone is allowed in quoted fields only, so that a file whose
/// lines end in CR is refused, and not read as one line. A byte order mark at the beginning is
/// ignored.
final class CommaSeparatedReader {
  private let file: FileHandle
  /// The name of the document, for messages.
  let place: String
  private var separator: UInt8
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 1
  private var column = 0
  /// The line on which the last row began.
  private(set) var rowLine = 1
  /// The empty lines between rows, which were skipped: their number, and the first one.
  private(set) var emptyLines: (count: Int, first: Int) = (0, 0)

  private static let chunkByteCount = 1 << 16

  /// The separators that files have instead of commas, with their names.
  static let others: [(separator: UInt8, name: String)] = [
    (UInt8(ascii: ";"), "semicolon"), (UInt8(ascii: "\t"), "tab"), (UInt8(ascii: "|"), "bar"),
  ]

  /// Returns the remedy for a file that seems to have another separator.
  static func separatorRemedy(_ name: String) -> String {
    let option = name == "semicolon" ? "';'" : name == "bar" ? "'|'" : name
    return "Say which character separates the fields: --separator \(option), or --separator ','."
  }

  /// Opens a file.
  ///
  /// - Throws: `VarveError`: `notFound`, `inputOutput`; `invalidArgument` for a separator that is
  ///   not ASCII, or has another meaning.
  init(_ source: RereadableFile, separator: Unicode.Scalar?) throws {
    place = source.name
    if let separator, !Self.canSeparate(separator) {
      throw VarveError(
        .invalidArgument,
        "\"\(separator)\" cannot separate fields",
        at: source.name,
        remedy: "Name an ASCII character that is neither a quote nor a line end."
      )
    }
    self.separator = UInt8(ascii: separator ?? ",")
    file = try RereadableFile.handle(reading: source.path, named: source.name)
    try fill()
    if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    guard let (hinted, end) = Self.hint(in: buffer[position...]) else { return }
    if separator == nil { self.separator = hinted }
    (position, line) = (end, 2)
  }

  private static func canSeparate(_ separator: Unicode.Scalar) -> Bool {
    separator.isASCII && !"\"\r\n".unicodeScalars.contains(separator)
  }

  /// Returns the separator that a first line such as `sep=;` names, which spreadsheets write, and the
  /// end of that line; nil if there is none.
  private static func hint(in bytes: ArraySlice<UInt8>) -> (separator: UInt8, end: Int)? {
    guard bytes.starts(with: Array("sep=".utf8)), bytes.count > 5 else { return nil }
    var end = bytes.startIndex + 5
    guard canSeparate(Unicode.Scalar(bytes[end - 1])) else { return nil }
    if bytes[end] == UInt8(ascii: "\r") { end += 1 }
    guard end < bytes.endIndex, bytes[end] == UInt8(ascii: "\n") else { return nil }
    return (bytes[end - (bytes[end - 1] == UInt8(ascii: "\r") ? 2 : 1)], end + 1)
  }

  deinit { try? file.close() }

  /// Returns the next row, or nil after the last. Empty lines are skipped.
  func next() throws -> [CommaSeparatedField]? {
    var skipped = 0
    while try peek() != nil {
      rowLine = line
      if try !isAtLineEnd() {
        if skipped > 0, emptyLines.count == 0 { emptyLines.first = rowLine - skipped }
        emptyLines.count += skipped
        return try row()
      }
      skipped += 1
      try endLine()
    }
    // Those at the end of the document are between no rows.
    return nil
  }

  static let usualRemedy =
    "Correct the line; quote fields that contain quotes, separators or line ends."

  /// Returns the error for a field of the last row, or for the present place.
  func failure(
    _ message: String,
    line: Int? = nil,
    column: Int? = nil,
    remedy: String = CommaSeparatedReader.usualRemedy
  ) -> VarveError {
    VarveError(
      .invalidArgument,
      message,
      at: "\(place), line \(line ?? self.line), column \(column ?? self.column + 1)",
      remedy: remedy
    )
  }

  private func row() throws -> [CommaSeparatedField] {
    var fields = [try field()]
    while try peek() == separator {
      advance()
      fields.append(try field())
    }
    if try peek() != nil { try endLine() }
    return fields
  }

  private func field() throws -> CommaSeparatedField {
    guard try peek() == UInt8(ascii: "\"") else {
      var bytes: [UInt8] = []
      while let byte = try peek(), byte != separator {
        if try isAtLineEnd() { break }
        guard byte != UInt8(ascii: "\"") else {
          throw failure("a field that is not quoted contains a quote")
        }
        guard byte != UInt8(ascii: "\r") else {
          throw failure(
            "a carriage return is not followed by a line feed",
            remedy: "End lines in LF or CR LF; quote fields that contain carriage returns."
          )
        }
        bytes.append(byte)
        advance()
      }
      return CommaSeparatedField(text: try text(bytes), isQuoted: false)
    }
    return CommaSeparatedField(text: try quoted(), isQuoted: true)
  }

  private func quoted() throws -> String {
    let (startLine, startColumn) = (line, column + 1)
    advance()
    var bytes: [UInt8] = []
    while let byte = try peek() {
      advance()
      guard byte == UInt8(ascii: "\"") else {
        bytes.append(byte)
        continue
      }
      if try peek() == UInt8(ascii: "\"") {
        bytes.append(byte)
        advance()
        continue
      }
      let next = try peek()
      guard try next == nil || next == separator || isAtLineEnd() else {
        let other = Self.others.first { $0.separator == next }
        throw failure(
          "a quoted field is followed by "
            + (other.map { "a \($0.name), which does not separate fields" }
              ?? "neither a separator nor the line's end"),
          remedy: other.map { Self.separatorRemedy($0.name) } ?? Self.usualRemedy
        )
      }
      return try text(bytes)
    }
    throw failure("a quoted field does not end", line: startLine, column: startColumn)
  }

  private func text(_ bytes: [UInt8]) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure(
        "a field is not UTF-8",
        remedy: "Convert the file first, such as by iconv -f ISO-8859-1 -t UTF-8, with the name of "
          + "its own encoding."
      )
    }
    return text
  }

  private func isAtLineEnd() throws -> Bool {
    switch try peek() {
    case UInt8(ascii: "\n"): return true
    case UInt8(ascii: "\r"):
      if position + 1 == buffer.count { try fill() }
      return position + 1 < buffer.count && buffer[position + 1] == UInt8(ascii: "\n")
    default: return false
    }
  }

  private func endLine() throws {
    if try peek() == UInt8(ascii: "\r") { advance() }
    if try peek() == UInt8(ascii: "\n") { advance() }
  }

  private func peek() throws -> UInt8? {
    if position == buffer.count { try fill() }
    return position < buffer.count ? buffer[position] : nil
  }

  private func advance() {
    let byte = buffer[position]
    position += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 0
    } else if byte & 0xC0 != 0x80 {
      // The bytes of one scalar count as one column.
      column += 1
    }
  }

  /// Reads the next bytes behind those that are left.
  private func fill() throws {
    buffer.removeFirst(position)
    position = 0
    do {
      buffer += try file.read(upToCount: Self.chunkByteCount) ?? Data()
    } catch {
      throw VarveError(
        .inputOutput,
        "the file cannot be read: \(error.localizedDescription)",
        at: place
      )
    }
  }
}
