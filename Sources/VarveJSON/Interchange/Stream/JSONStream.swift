import VarveCore

/// Reads a JSON document piece by piece, in memory no larger than the largest piece asked for.
///
/// The caller enters objects and arrays as far as it likes and takes the values in them whole.
/// Trailing commas are let pass. What is no JSON throws `invalidJSON` with its place.
final class JSONStream {
  private let source: DocumentSource
  private(set) var buffer: [UInt8] = []
  /// Where in the buffer the next byte is.
  var index = 0
  /// A place not behind the next byte, and where in the buffer it is.
  private var mark = JSONPosition.start
  private var markIndex = 0
  private var isAtEnd = false
  /// The objects and arrays entered.
  private var open: [Container] = []
  /// How many objects and arrays were entered and not left.
  var depth: Int { open.count }

  private struct Container {
    let isObject: Bool
    var isFresh = true
    /// The names so far; the first ones, where they are many.
    var names: Set<String> = []

    /// Whether a name stands there already; it is noted.
    mutating func hasName(_ name: String) -> Bool {
      if names.count < JSONStream.nameCount { return !names.insert(name).inserted }
      return names.contains(name)
    }
  }

  /// How many names are compared: what a document of endless names can cost.
  private static let nameCount = 1_000
  /// The longest run of bytes that a number, or a word, can be.
  static let longestToken = 1 << 16

  init(_ source: DocumentSource) { self.source = source }

  /// How many bytes were passed over.
  var byteOffset: Int { mark.byteOffset + index - markIndex }

  /// Where the next byte stands.
  ///
  /// - Complexity: O(bytes since it was last asked for).
  var position: JSONPosition {
    advanceMark(to: index)
    return mark
  }

  /// Where the next value stands.
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
    VarveError(.invalidJSON, message, at: (position ?? self.position).text)
  }

  // MARK: Bytes

  /// Reads on; false at the end. Either way bytes before `start` are forgotten, and what stood at
  /// `start` stands at 0: what a caller counts from the beginning of the buffer always moves.
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

  /// The next byte that is no white space, not passed over; nil at the end.
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

  /// Passes over a byte order mark.
  func begin() throws {
    while buffer.count < 3, try fill(keepingFrom: 0) {}
    if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Throws where something follows the document.
  func end() throws {
    guard try peek() == nil else { throw failure("something follows the document") }
  }

  /// Enters an object, if one is next.
  func enterObject() throws -> Bool {
    _ = try nextPosition()
    guard try take("{") else { return false }
    open.append(Container(isObject: true))
    return true
  }

  /// Enters an array, if one is next.
  func enterArray() throws -> Bool {
    _ = try nextPosition()
    guard try take("[") else { return false }
    open.append(Container(isObject: false))
    return true
  }

  /// The name of the next member of the object entered last; nil at its end, which is left.
  func nextName() throws -> String? {
    guard try goOn(to: "}") else { return nil }
    guard try peek() == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
    let place = position
    guard case .string(let name) = try value(atMost: Self.longestToken * 2)?.json else {
      throw failure("a name is too long", at: place)
    }
    guard !open[open.count - 1].hasName(name) else {
      throw failure("the name \"\(name.prefix(40))\" stands twice", at: place)
    }
    guard try take(":") else { throw failure("a colon is expected") }
    return name
  }

  /// Whether another element follows in the array entered last; at its end it is left.
  func nextElement() throws -> Bool { try goOn(to: "]") }

  /// Passes over a comma, or over the end of what was entered last, which is left then.
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

  /// Leaves what was entered last, whose end was passed over.
  func leave() { open.removeLast() }

  // MARK: Values

  /// A value and where it stands.
  struct Piece {
    let json: JSON
    let position: JSONPosition
    fileprivate let bytes: [UInt8]

    /// Where a member of the value stands.
    func place(of member: String) -> JSONPosition {
      position.advanced(to: JSONReader.position(of: [.name(member)], in: bytes))
    }
  }

  /// The next value; nil where it is longer than a number of bytes. Either way it is passed over.
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

  /// Passes over a value; its bytes, or nil where they are too many.
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
