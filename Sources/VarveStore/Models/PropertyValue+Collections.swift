public import VarveCore

/// Arrays are values of kind array. There is no stored nothing, so an array with one cannot be stored.
extension Array: PropertyValue where Element: PropertyValue {
  /// The elements; nil where one of them has no value.
  public var propertyValue: Value? {
    let values = compactMap(\.propertyValue)
    return values.count == count ? .array(values) : nil
  }
  /// Takes an array all of whose elements the element type takes.
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

/// Sets are arrays, in the order of their elements' encodings: equal sets are equal values.
extension Set: PropertyValue where Element: PropertyValue {
  /// The elements.
  public var propertyValue: Value? {
    let values = compactMap(\.propertyValue)
    guard values.count == count else { return nil }
    return .array(values.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) })
  }
  /// Takes an array of elements.
  public init?(propertyValue value: Value) {
    guard let elements = [Element](propertyValue: value) else { return nil }
    self = Set(elements)
  }
}

/// Dictionaries with texts for keys are values of kind dictionary.
extension Dictionary: PropertyValue where Key == String, Value: PropertyValue {
  /// The entries.
  public var propertyValue: VarveCore.Value? {
    var fields: [PropertyKey: VarveCore.Value] = [:]
    for (key, value) in self { fields[PropertyKey(key)] = value.propertyValue }
    return fields.count == count ? .dictionary(fields) : nil
  }
  /// Takes a dictionary all of whose values the value type takes.
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
