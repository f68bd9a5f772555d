import CVarveJSON
import VarveCore

/// Takes many elements of an array at once, without parsing them.
extension JSONStream {
  /// Some elements of an array.
  struct Elements: Sendable {
    /// The text, without brackets around it.
    let bytes: [UInt8]
    /// The position of its beginning.
    let position: JSONPosition
    /// Whether the elements are lines, without commas between them.
    var areLines = false

    /// The text with commas between the elements; nil if it is not JSON.
    var separated: [UInt8]? { areLines ? JSONLines.elements(bytes) : bytes }
  }

  /// Returns the next elements of the innermost open array: enough for a number of bytes, or all
  /// that remain. Nil at the array's end, which is passed.
  ///
  /// - Parameters:
  ///   - byteCount: the number of bytes that is enough.
  ///   - maximum: the maximum number of bytes.
  /// - Throws: `VarveError` with code `invalidJSON` if the array does not end, or is nested too
  ///   deep.
  func elements(atLeast byteCount: Int, atMost maximum: Int) throws -> Elements? {
    guard let first = try peek() else { throw failure("the document ends inside another value") }
    if first == UInt8(ascii: "]") {
      index += 1
      leave()
      return nil
    }
    let place = position
    let range = try scan(atLeast: byteCount, atMost: maximum)
    return Elements(bytes: Array(buffer[range]), position: place)
  }

  /// Returns the next value as one element; nil, without advancing, if it is longer than a number
  /// of bytes.
  func piece(atMost byteCount: Int) throws -> Elements? {
    let place = try nextPosition()
    var scan = JSONExtent(depth: depth, longestToken: Self.longestToken)
    var end = index
    while true {
      end = buffer.withUnsafeBufferPointer { scan.advance(over: $0, from: end) }
      if let message = scan.problem {
        index = end
        throw failure(message)
      }
      if scan.isComplete { break }
      guard end - index <= byteCount else { return nil }
      let start = index
      let hasMore = try fill(keepingFrom: start)
      end -= start - index
      guard !hasMore else { continue }
      guard !scan.endsWithText else { break }
      index = end
      throw failure("the document ends inside a value")
    }
    defer { index = end }
    return Elements(bytes: Array(buffer[index..<end]), position: place)
  }

  /// Skips elements and the comma after them; returns their range.
  private func scan(atLeast byteCount: Int, atMost maximum: Int) throws -> Range<Int> {
    var start = index
    var state = varve_json_scan()
    let deepest = UInt64(JSONReader.maximumDepth - depth)
    while true {
      switch varve_json_scan_elements(
        &state,
        buffer,
        buffer.count,
        start + byteCount,
        deepest,
        &index
      ) {
      case varve_json_scan_comma:
        defer { index += 1 }
        return start..<index
      case varve_json_scan_close:
        guard buffer[index] == UInt8(ascii: "]") else { throw failure("a bracket does not match") }
        return start..<index
      case varve_json_scan_deep: throw failure("values are nested too deep")
      default:
        guard index - start <= maximum else {
          throw failure("an element is longer than \(maximum) bytes")
        }
        guard try fill(keepingFrom: start) else {
          throw failure("the document ends inside another value")
        }
        start = 0
      }
    }
  }
}

extension JSONStream.Elements {
  /// Calls a closure with each element and its repeated names. Errors are those of ``JSONReader``,
  /// and a comma may follow the last element.
  func read(_ body: (JSON, [RepeatedName]) throws -> Void) throws {
    if areLines { return try readLines(body) }
    var reader = JSONReader(bytes, allowsTrailingCommas: true, allowsRepeatedNames: true)
    while true {
      reader.skipSpace()
      if reader.next == nil { return }
      do {
        let json = try reader.value()
        reader.skipSpace()
        guard reader.next == nil || reader.take(",") else {
          throw reader.failure("a comma or ] is expected")
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

  /// Returns repeated names with their positions in the document.
  func located(_ repetitions: [RepeatedName]) -> [RepeatedName] {
    repetitions.map { RepeatedName(path: $0.path, position: position.advanced(to: $0.position)) }
  }
}
