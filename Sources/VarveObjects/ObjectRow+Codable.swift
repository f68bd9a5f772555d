public import VarveCore
public import VarveModels

/// Enumerations with raw values, which need no other conformance.
extension ObjectRow {
  /// Returns the value of a required enumeration.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ key: PropertyKey) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(key) { return value }
    throw missing(key)
  }

  /// Returns the value of an enumeration, or nil if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(_ key: PropertyKey) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(key)
  }

  /// Returns the value of an enumeration, or a default if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V where V.RawValue: PropertyValue {
    try raw(key) ?? useDefault(value())
  }

  /// Returns the value of a required enumeration.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ key: PropertyKey) throws -> V
  where V.RawValue: PropertyValue {
    if let value: V = try raw(key) { return value }
    throw missing(key)
  }

  /// Returns the value of an enumeration, or nil if it is missing.
  @_disfavoredOverload
  public func read<V: RawRepresentable & Codable>(_ key: PropertyKey) throws -> V?
  where V.RawValue: PropertyValue {
    try raw(key)
  }

  /// Returns the value of an enumeration, or a default if it is missing.
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

/// `Codable` types, which are stored as dictionaries, arrays or whatever else they encode to.
extension ObjectRow {
  /// Returns the value of a property; nil if it is missing and the type is optional.
  ///
  /// - Throws: ``VarveError``: `missingField`; `typeMismatch` if the value cannot be decoded.
  @_disfavoredOverload
  public func read<V: Codable>(_ key: PropertyKey) throws -> V {
    if let value = self[key] { return try ValueDecoder().decode(V.self, from: value) }
    if let nothing = nothing(V.self) { return nothing }
    throw missing(key)
  }

  /// Returns the value of a property, or a default if it is missing.
  @_disfavoredOverload
  public func read<V: Codable>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    self[key] == nil ? useDefault(try value()) : try read(key)
  }

  /// Refuses a type that cannot be read.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public func read<V>(_ key: PropertyKey) throws -> V { fatalError("unavailable") }

  /// Refuses a type that cannot be read.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public func read<V>(_ key: PropertyKey, default value: @autoclosure () throws -> V) throws -> V {
    fatalError("unavailable")
  }
}
