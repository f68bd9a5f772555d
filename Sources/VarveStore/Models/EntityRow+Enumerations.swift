import VarveCore

/// Enumerations with raw values, which need not conform to anything else.
extension EntityRow {
  /// A property that must be there.
  ///
  /// - Throws: ``VarveError``: `missingField`; `fieldType` where no case has the value.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ position: Int) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(position) { return value }
    throw missing(at: position)
  }

  /// A property, or nil where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(position)
  }

  /// A property, or a default where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(position) ?? value()
  }

  /// A property that must be there.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ position: Int) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(position) { return value }
    throw missing(at: position)
  }

  /// A property, or nil where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(position)
  }

  /// A property, or a default where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(position) ?? value()
  }

  private func raw<V: RawRepresentable>(_ position: Int) throws -> V?
  where V.RawValue: PropertyValue {
    guard let rawValue = try V.RawValue.read(self, at: position) else { return nil }
    if let value = V(rawValue: rawValue) { return value }
    guard let stored = try value(at: position) else { return nil }
    throw mismatch(at: position, stored, wanted: "\(V.self)")
  }
}
