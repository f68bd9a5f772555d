public import VarveCore

/// Enumerations with raw values, and `Codable` types.
extension ObjectValues {
  /// Sets an enumeration.
  @_disfavoredOverload
  public mutating func set<V: RawRepresentable>(_ key: PropertyKey, _ value: V) throws
  where V.RawValue: PropertyValue {
    try set(key, value.rawValue)
  }

  /// Sets an enumeration, or removes it if it is nil.
  @_disfavoredOverload
  public mutating func set<V: RawRepresentable>(_ key: PropertyKey, _ value: V?) throws
  where V.RawValue: PropertyValue {
    try set(key, value?.rawValue)
  }

  /// Sets an enumeration.
  @_disfavoredOverload
  public mutating func set<V: RawRepresentable & Codable>(_ key: PropertyKey, _ value: V) throws
  where V.RawValue: PropertyValue {
    try set(key, value.rawValue)
  }

  /// Sets an enumeration, or removes it if it is nil.
  @_disfavoredOverload
  public mutating func set<V: RawRepresentable & Codable>(_ key: PropertyKey, _ value: V?) throws
  where V.RawValue: PropertyValue {
    try set(key, value?.rawValue)
  }

  /// Sets the encoded value of a `Codable` type.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: V) throws {
    do {
      try set(key, value: try StoredForm.value(of: value))
    } catch let error as VarveError where error.code != .notEncodable {
      throw Self.notEncodable(key, error.message)
    }
  }
}
