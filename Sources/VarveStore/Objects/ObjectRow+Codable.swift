public import VarveCore

/// Enumerations with raw values, which need not conform to anything else.
extension ObjectRow {
  /// An enumeration with raw values that must be there.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ key: PropertyKey) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(key) { return value }
    throw missing(key)
  }

  /// An enumeration with raw values, or nothing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ key: PropertyKey) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(key)
  }

  /// An enumeration with raw values, or a default where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(key) ?? useDefault(value())
  }

  /// An enumeration with raw values that must be there.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ key: PropertyKey) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(key) { return value }
    throw missing(key)
  }

  /// An enumeration with raw values, or nothing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ key: PropertyKey) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(key)
  }

  /// An enumeration with raw values, or a default where it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(key) ?? useDefault(value())
  }

  private func raw<V: RawRepresentable>(_ key: PropertyKey) throws -> V?
  where V.RawValue: PropertyValue {
    guard let raw: V.RawValue = try present(key) else { return nil }
    if let value = V(rawValue: raw) { return value }
    throw mismatch(key, self[key] ?? .bool(false), "\(V.self)")
  }
}

/// `Codable` types, which are stored as dictionaries, arrays or whatever they encode to.
extension ObjectRow {
  /// A property that must be there, or an optional one.
  ///
  /// - Throws: ``VarveError``: `missingField`; `typeMismatch` where it cannot be decoded.
  @_disfavoredOverload
  public func read<V: Codable>(_ key: PropertyKey) throws -> V {
    if let value = self[key] { return try ValueDecoder().decode(V.self, from: value) }
    if let nothing = nothing(V.self) { return nothing }
    throw missing(key)
  }

  /// A property, or a default where it is missing.
  @_disfavoredOverload
  public func read<V: Codable>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    self[key] == nil ? useDefault(try value()) : try read(key)
  }
}
