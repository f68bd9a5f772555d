public import VarveCore

/// The values of a model to store, in the order of its schema.
///
/// Generated code appends; code written by hand may set values by name, in any order.
public struct PropertyValues {
  /// The values so far.
  private(set) var values = PackedValues()
  private let shape: RowShape

  init(_ shape: RowShape) {
    self.shape = shape
    values.reserveCapacity(shape.columns.count)
  }

  /// Removes all values, before the next model is written.
  mutating func removeAll() { values.removeAll() }

  /// Appends nil for the schema's remaining properties.
  mutating func complete() {
    while values.count < shape.columns.count { values.append(nil) }
  }

  /// Appends the value of the next property as it is.
  public mutating func append(value: Value?) { values.append(value) }

  /// Appends the value of the next property.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue` if the value cannot be stored.
  @inlinable
  public mutating func append<V: PropertyValue>(_ value: V) throws {
    let stored = value.propertyValue
    if stored == nil, !value.isNothing { throw unsupported(value) }
    append(value: stored)
  }

  /// Sets the value of a property by its stored name.
  ///
  /// - Throws: ``VarveError``: `unknownProperty`, `unsupportedValue`.
  public mutating func set<V: PropertyValue>(_ name: String, _ value: V) throws {
    guard let position = shape.position(of: name) else {
      throw VarveError(
        .unknownProperty,
        "the schema has no property \"\(name)\"",
        at: "property \(name)",
        remedy: "Name it in the schema."
      )
    }
    while values.count <= position { values.append(nil) }
    values[position] = value.propertyValue
    if values[position] == nil, !value.isNothing { throw unsupported(value) }
  }

  /// Returns the error for a value that cannot be stored.
  @usableFromInline
  func unsupported<V>(_ value: V) -> VarveError {
    let next = values.count
    return VarveError(
      .unsupportedValue,
      "\(value) cannot be stored",
      at: next < shape.columns.count ? "property \(shape.columns[next].key)" : nil,
      remedy: "Integers have 64 bits, with a sign; arrays and dictionaries contain no nil."
    )
  }
}

/// Enumerations with raw values, which need no other conformance.
extension PropertyValues {
  /// Appends the value of the next property.
  @_disfavoredOverload
  public mutating func append<V: RawRepresentable & Sendable>(_ value: V) throws
  where V.RawValue: PropertyValue {
    try append(value.rawValue)
  }

  /// Appends the value of the next property, or nil.
  @_disfavoredOverload
  public mutating func append<V: RawRepresentable & Sendable>(_ value: V?) throws
  where V.RawValue: PropertyValue {
    try append(value?.rawValue)
  }

  /// Appends the value of the next property.
  @_disfavoredOverload
  public mutating func append<V: RawRepresentable & Codable & Sendable>(_ value: V) throws
  where V.RawValue: PropertyValue {
    try append(value.rawValue)
  }

  /// Appends the value of the next property, or nil.
  @_disfavoredOverload
  public mutating func append<V: RawRepresentable & Codable & Sendable>(_ value: V?) throws
  where V.RawValue: PropertyValue {
    try append(value?.rawValue)
  }
}
