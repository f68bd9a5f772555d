import VarveCore

/// Reads a JSON document piece by piece. Memory use is limited by the largest piece that is read.
///
/// The caller enters objects and arrays to any depth, and reads the values in them as a whole.
/// Trailing commas are allowed. Invalid JSON throws `invalidJSON` with its position.
final class JSONStream {
  private let source: DocumentSource
  private(set) var buffer: [UInt8] = []
  /// The index of the next byte in the buffer.
  var index = 0
  /// A position at or before the next byte, and its index in the buffer.
  private var mark = JSONPosition.start
  private var markIndex = 0
  private var isAtEnd = false
  /// The objects and arrays that were entered and not left.
  private var open: [Container] = []
  /// The number of objects and arrays that were entered and not left.
  var depth: Int { open.count }

  private struct Container {
    let isObject: Bool
    var isFresh = true
    /// The names so far, once there are many.
    var names: Set<ExactText> = []

    /// Returns whether a name is a duplicate, and records it.
    mutating func hasName(_ name: String) -> Bool {
      let name = ExactText(name)
      if names.count < JSONStream.nameCount { return !names.insert(name).inserted }
      return names.contains(name)
    }
  }

  /// The maximum number of names that are checked for duplicates, to limit the cost of endless
  /// names.
  private static let nameCount = 1_000
  /// The maximum length of a number or a word, in bytes.
  static let longestToken = 1 << 16

  init(_ source: DocumentSource) { self.source = source }

  /// The number of bytes read so far.
  var byteOffset: Int { mark.byteOffset + index - markIndex }

  /// The position of the next byte.
  ///
  /// - Complexity: O(bytes since the last call).
  var position: JSONPosition {
    advanceMark(to: index)
    return mark
  }

  /// Returns the position of the next value.
  func nextPosition() throws -> JSONPosition {
    guard try peek() != nil else { throw failure("the text ends where a value is expected") }
    return position
  }

  private func advanceMark(to index: Int) {
    guard index > markIndex else { return }
    buffer.withUnsafeBytes { mark.advance(over: .init(rebasing: $0[markIndex..<index])) }
    markIndex = index
  }

  func failure(_ message: String, at position: JSONPosition? = nil) -> VarveError {
    VarveError(.invalidJSON, message).located(at: position ?? self.position)
  }

  // MARK: Bytes

  /// Reads more bytes; returns false at the end. In both cases the bytes before `start` are
  /// discarded and the byte at `start` moves to index 0, so indices in the buffer always shift.
  func fill(keepingFrom start: Int) throws -> Bool {
    advanceMark(to: start)
    buffer.removeFirst(start)
    index -= start
    markIndex -= start
    guard !isAtEnd else { return false }
    try Task.checkCancellation()
    let part = try source.next()
    isAtEnd = part.isEmpty
    buffer.append(contentsOf: part)
    return !isAtEnd
  }

  /// Returns the next byte that is not white space, without consuming it; nil at the end.
  func peek() throws -> UInt8? {
    while true {
      while index < buffer.count {
        switch buffer[index] {
        case 0x20, 0x09, 0x0A, 0x0D: index += 1
        default: return buffer[index]
        }
      }
      guard try fill(keepingFrom: index) else { return nil }
    }
  }

  private func take(_ character: Unicode.Scalar) throws -> Bool {
    guard try peek() == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  // MARK: Structure

  /// Skips a byte order mark.
  func begin() throws {
    while buffer.count < 3, try fill(keepingFrom: 0) {}
    if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Throws if anything follows the document.
  func end() throws {
    guard try peek() == nil else { throw failure("something follows the document") }
  }

  /// Enters an object if one is next.
  func enterObject() throws -> Bool {
    _ = try nextPosition()
    guard try take("{") else { return false }
    open.append(Container(isObject: true))
    return true
  }

  /// Enters an array if one is next.
  func enterArray() throws -> Bool {
    _ = try nextPosition()
    guard try take("[") else { return false }
    open.append(Container(isObject: false))
    return true
  }

  /// Returns the name of the next member of the innermost object. At its end, leaves the object and
  /// returns nil.
  func nextName(allowsRepeated: (String) -> Bool = { _ in false }) throws -> String? {
    guard try goOn(to: "}") else { return nil }
    guard try peek() == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
    let place = position
    guard case .string(let name) = try value(atMost: Self.longestToken * 2)?.json else {
      throw failure("a name is too long", at: place)
    }
    guard !open[open.count - 1].hasName(name) || allowsRepeated(name) else {
      throw failure("the name \"\(name.prefix(40))\" is repeated", at: place)
    }
    guard try take(":") else { throw failure("a colon is expected") }
    return name
  }

  /// Returns whether another element follows in the innermost array. At its end, leaves the array.
  func nextElement() throws -> Bool { try goOn(to: "]") }

  /// Skips a comma, or the end of the innermost object or array, which is then left.
  private func goOn(to end: Unicode.Scalar) throws -> Bool {
    let last = open.count - 1
    let isFresh = open[last].isFresh
    open[last].isFresh = false
    let hasComma = try !isFresh && take(",")
    if try take(end) {
      open.removeLast()
      return false
    }
    guard try peek() != nil else { throw failure("the document ends inside another value") }
    guard isFresh || hasComma else { throw failure("a comma or \(end) is expected") }
    return true
  }

  /// Leaves the innermost object or array after its end was consumed.
  func leave() { open.removeLast() }

  // MARK: Values

  /// A value and its position.
  struct Piece {
    let json: JSON
    let position: JSONPosition
    fileprivate let bytes: [UInt8]

    /// Returns the position of a member of the value.
    func place(of member: String) -> JSONPosition {
      position.advanced(to: JSONReader.position(of: [.name(member)], in: bytes))
    }
  }

  /// Returns the next value, or nil if it exceeds a number of bytes. The value is consumed in both
  /// cases.
  func value(atMost byteCount: Int) throws -> Piece? {
    let place = try nextPosition()
    guard let bytes = try pass(atMost: byteCount) else { return nil }
    do {
      let json = try JSONReader.read(bytes: bytes, allowsTrailingCommas: true)
      return Piece(json: json, position: place, bytes: bytes)
    } catch {
      throw failure(error.message, at: place.advanced(to: error.position))
    }
  }

  /// Consumes the next value. Of several members with one name the last counts.
  ///
  /// - Returns: the value and its repeated names, or nil if the value is longer than a number of
  ///   bytes.
  func lenientValue(atMost byteCount: Int) throws -> (JSON, [RepeatedName])? {
    let place = try nextPosition()
    guard let bytes = try pass(atMost: byteCount) else { return nil }
    do {
      var (json, repetitions) = try JSONReader.readLeniently(bytes: bytes)
      for index in repetitions.indices {
        repetitions[index].position = place.advanced(to: repetitions[index].position)
      }
      return (json, repetitions)
    } catch {
      throw failure(error.message, at: place.advanced(to: error.position))
    }
  }

  /// Consumes a value. Returns its bytes, or nil if there are too many.
  private func pass(atMost byteCount: Int) throws -> [UInt8]? {
    var scan = JSONExtent(depth: open.count, longestToken: Self.longestToken)
    var start: Int? = index
    while true {
      let end = buffer.withUnsafeBufferPointer { scan.advance(over: $0, from: index) }
      index = end
      if let message = scan.problem { throw failure(message) }
      if let first = start, end - first > byteCount { start = nil }
      if scan.isComplete { break }
      let hasMore = try fill(keepingFrom: start ?? index)
      if start != nil { start = 0 }
      guard !hasMore else { continue }
      guard scan.endsWithText else { throw failure("the document ends inside a value") }
      break
    }
    return start.map { Array(buffer[$0..<index]) }
  }
}

extension JSONPosition {
  /// `line 1, column 9 (byte 8)`.
  var text: String { "\(self) (byte \(byteOffset))" }
}

extension VarveError {
  /// Returns the same error at a position of a document.
  func located(at position: JSONPosition) -> VarveError {
    located(at: position.text, line: position.line)
  }
}
