public import VarveCore

/// Arrays are values of kind array. Nil is not a value, so an array with a nil cannot be stored.
extension Array: PropertyValue where Element: PropertyValue {
  /// The array of the elements' values; nil if an element has none.
  public var propertyValue: Value? {
    let values = compactMap(\.propertyValue)
    return values.count == count ? .array(values) : nil
  }
  /// Creates an array if the element type accepts every element of the value.
  public init?(propertyValue value: Value) {
    guard case .array(let values) = value else { return nil }
    var elements: [Element] = []
    for value in values {
      guard let element = Element(propertyValue: value) else { return nil }
      elements.append(element)
    }
    self = elements
  }
}

/// Sets are stored as arrays, sorted by the encodings of their elements: equal sets are equal
/// values.
extension Set: PropertyValue where Element: PropertyValue {
  /// The array of the elements' values; nil if an element has none.
  public var propertyValue: Value? {
    let values = compactMap(\.propertyValue)
    guard values.count == count else { return nil }
    return .array(values.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) })
  }
  /// Creates a set if the element type accepts every element of the value.
  public init?(propertyValue value: Value) {
    guard let elements = [Element](propertyValue: value) else { return nil }
    self = Set(elements)
  }
}

/// Dictionaries with string keys are values of kind dictionary.
extension Dictionary: PropertyValue where Key == String, Value: PropertyValue {
  /// The dictionary of the entries' values; nil if an entry has none.
  public var propertyValue: VarveCore.Value? {
    var fields: [PropertyKey: VarveCore.Value] = [:]
    for (key, value) in self { fields[PropertyKey(key)] = value.propertyValue }
    return fields.count == count ? .dictionary(fields) : nil
  }
  /// Creates a dictionary if the value type accepts every value in it.
  public init?(propertyValue value: VarveCore.Value) {
    guard case .dictionary(let fields) = value else { return nil }
    var entries: [String: Value] = [:]
    for (key, field) in fields {
      guard let entry = Value(propertyValue: field) else { return nil }
      entries[key.text] = entry
    }
    self = entries
  }
}
