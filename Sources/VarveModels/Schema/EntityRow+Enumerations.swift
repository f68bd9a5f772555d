import VarveCore

/// Enumerations with raw values, which need no other conformance.
extension EntityRow {
  /// Returns the value of a required property.
  ///
  /// - Throws: ``VarveError``: `missingField`; `fieldType` if no case has the value.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Sendable>(_ position: Int) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(position) { return value }
    throw missing(at: position)
  }

  /// Returns the value of a property, or nil if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Sendable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(position)
  }

  /// Returns the value of a property, or a default if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Sendable>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(position) ?? value()
  }

  /// Returns the value of a required property.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable & Sendable>(_ position: Int) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(position) { return value }
    throw missing(at: position)
  }

  /// Returns the value of a property, or nil if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable & Sendable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(position)
  }

  /// Returns the value of a property, or a default if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable & Sendable>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(position) ?? value()
  }

  private func raw<V: RawRepresentable & Sendable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    guard let rawValue = try V.RawValue.read(self, at: position) else { return nil }
    if let value = V(rawValue: rawValue) { return value }
    guard let stored = try value(at: position) else { return nil }
    throw mismatch(at: position, stored, wanted: "\(V.self)")
  }
}
