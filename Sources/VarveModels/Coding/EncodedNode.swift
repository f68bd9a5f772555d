import VarveCore

/// A value under construction. It is a class because containers and superclass encoders write to it
/// after they were returned.
final class EncodedNode {
  /// The content written so far.
  private enum Content {
    case nothing
    case absent
    case tooDeep
    case scalar(Value)
    case array([Element])
    case dictionary([PropertyKey: Element])
  }

  private enum Element {
    case value(Value)
    case node(EncodedNode)
  }

  /// The place of the value.
  let place: CodingPlace
  private var content = Content.nothing
  /// The unordered parts of an array, which are sorted by their encodings.
  var unordered: Unordered?

  init(_ place: CodingPlace) { self.place = place }

  /// The number of elements, if this is an array.
  var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  /// Marks the value as absent.
  func leaveOut() { content = .absent }

  /// Sets a single value.
  func set(_ value: Value) { content = .scalar(value) }

  /// Makes this a dictionary, unless it is one. Requesting containers of several kinds from one
  /// encoder violates the contract of `Encoder` and traps.
  func becomeDictionary() {
    switch content {
    case .nothing: content = isTooDeep ? .tooDeep : .dictionary([:])
    case .dictionary, .tooDeep: break
    default: preconditionFailure("an Encoder gives containers of one kind")
    }
  }

  /// Makes this an array, unless it is one.
  func becomeArray() {
    switch content {
    case .nothing: content = isTooDeep ? .tooDeep : .array([])
    case .array, .tooDeep: break
    default: preconditionFailure("an Encoder gives containers of one kind")
    }
  }

  private var isTooDeep: Bool { place.nesting >= Value.maximumDepth }

  /// Sets the value of a key; nil removes it.
  func put(_ value: Value?, under key: PropertyKey) throws {
    guard case .dictionary(var fields) = content else { throw tooDeep }
    content = .nothing  // so that the fields have one owner and are not copied
    fields[key] = value.map { .value($0) }
    content = .dictionary(fields)
  }

  /// Appends a value to the array.
  func append(_ value: Value) throws {
    guard case .array(var elements) = content else { throw tooDeep }
    content = .nothing
    elements.append(.value(value))
    content = .array(elements)
  }

  /// Returns a node for the value of a key. If that is too deep, it is this node, and finishing
  /// throws.
  func node(under key: any CodingKey) -> EncodedNode {
    guard case .dictionary(var fields) = content else { return self }
    let node = EncodedNode(place.appending(key))
    content = .nothing
    fields[PropertyKey(key.stringValue)] = .node(node)
    content = .dictionary(fields)
    return node
  }

  /// Returns a node for the next element.
  func nextNode() -> EncodedNode {
    guard case .array(var elements) = content else { return self }
    let node = EncodedNode(place.appending(PlainKey.index(elements.count)))
    content = .nothing
    elements.append(.node(node))
    content = .array(elements)
    return node
  }

  /// The error for a value that is nested too deeply.
  var tooDeep: EncodingError {
    failure("a value is nested more than \(Value.maximumDepth) deep")
  }

  /// Returns an error at this place.
  func failure(_ reason: String, of value: Any = ()) -> EncodingError {
    .invalidValue(value, .init(codingPath: place.path, debugDescription: reason))
  }

  /// Returns the finished value, or nil if there is none.
  func finish() throws -> Value? {
    switch content {
    case .absent: return nil
    case .tooDeep: throw tooDeep
    case .scalar(let value): return value
    // A type without properties writes nothing, and reads nothing back.
    case .nothing: return .dictionary([:])
    case .array(let elements):
      let values = try elements.enumerated().map { index, element in
        guard let value = try finish(element) else { throw nothing(at: index) }
        return value
      }
      return .array(unordered?.order(values) ?? values)
    case .dictionary(let fields):
      var values: [PropertyKey: Value] = [:]
      values.reserveCapacity(fields.count)
      for (key, element) in fields { values[key] = try finish(element) }
      return .dictionary(values)
    }
  }

  private func finish(_ element: Element) throws -> Value? {
    switch element {
    case .value(let value): value
    case .node(let node): try node.finish()
    }
  }

  /// Returns the error for a nil in an array.
  func nothing(at index: Int) -> EncodingError {
    EncodedNode(place.appending(PlainKey.index(index)))
      .failure("an array cannot contain nil")
  }
}
