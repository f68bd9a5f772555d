import VarveCore

/// Takes many lines of JSON Lines at once, without parsing them.
extension JSONStream {
  /// Returns the next lines: enough for a number of bytes, or all that remain; nil at the end.
  ///
  /// - Parameters:
  ///   - byteCount: the number of bytes that is enough.
  ///   - maximum: the maximum number of bytes.
  /// - Throws: `VarveError` with code `invalidJSON` if a line is longer.
  func lines(atLeast byteCount: Int, atMost maximum: Int) throws -> Elements? {
    guard try peek() != nil else { return nil }
    let place = position
    var end = index
    while true {
      let least = max(end, index + byteCount)
      if least < buffer.count, let newline = buffer[least...].firstIndex(of: JSONLines.newline) {
        end = newline + 1
        break
      }
      end = max(end, buffer.count)
      guard end - index <= maximum else {
        throw failure("a line is longer than \(maximum) bytes")
      }
      let start = index
      let hasMore = try fill(keepingFrom: start)
      end -= start
      guard hasMore else { break }
    }
    defer { index = end }
    return Elements(bytes: Array(buffer[index..<end]), position: place, areLines: true)
  }
}

/// A text with a JSON value in each line.
enum JSONLines {
  static let newline = UInt8(ascii: "\n")
  private static let comma = UInt8(ascii: ",")

  /// Returns lines as the elements of an array, with commas in place of the line feeds between
  /// them; nil if brackets and quotes show that a line is not one value.
  static func elements(_ lines: [UInt8]) -> [UInt8]? {
    var elements = lines
    var scan = Scan()
    for index in lines.indices {
      switch scan.take(lines[index]) {
      case .content: break
      case .end: elements[index] = comma
      case .problem: return nil
      }
    }
    if scan.isBetweenLines {
      // No value follows the last line feed.
      if let last = elements.lastIndex(of: comma) { elements[last] = newline }
      return elements
    }
    return scan.take(newline) == .end ? elements : nil
  }

  /// The state between two bytes.
  private struct Scan {
    enum Step {
      case content
      /// The byte ends the line of a value.
      case end
      /// The line is not one value.
      case problem
    }

    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var hasContent = false

    /// Whether no value has begun since the last line feed.
    var isBetweenLines: Bool { !hasContent && depth == 0 && !isInString }

    mutating func take(_ byte: UInt8) -> Step {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        return byte == newline ? .problem : .content
      }
      switch byte {
      case newline:
        guard depth == 0 else { return .problem }
        defer { hasContent = false }
        return hasContent ? .end : .content
      case comma: return depth == 0 ? .problem : .content
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth >= JSONReader.maximumDepth { return .problem }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth < 0 { return .problem }
      case UInt8(ascii: "\""): isInString = true
      default: if Self.isSpace(byte) { return .content }
      }
      hasContent = true
      return .content
    }

    static func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == newline
    }
  }
}

extension JSONStream.Elements {
  /// Calls a closure with the value of each line and its repeated names. Errors are those of
  /// ``JSONReader``; empty lines are skipped.
  func readLines(_ body: (JSON, [RepeatedName]) throws -> Void) throws {
    var reader = JSONReader(bytes, allowsTrailingCommas: true, allowsRepeatedNames: true)
    while true {
      reader.skipSpace()
      if reader.next == nil { return }
      let start = reader.position
      do {
        let json = try reader.value()
        if let end = bytes[start..<reader.position].firstIndex(of: JSONLines.newline) {
          reader.position = end
          throw reader.failure("a value must end in its line")
        }
        let after = reader.position
        reader.skipSpace()
        guard reader.next == nil || bytes[after..<reader.position].contains(JSONLines.newline)
        else {
          throw reader.failure("a new line is expected after a value")
        }
        try body(json, located(reader.takeRepetitions()))
      } catch let failure as JSONReader.Failure {
        throw VarveError(
          .invalidJSON,
          failure.message
        ).located(at: position.advanced(to: failure.position))
      }
    }
  }
}
