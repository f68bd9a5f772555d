public import VarveCore
public import VarveModels

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

  /// Refuses a type that cannot be stored.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public mutating func set<V>(_ key: PropertyKey, _ value: V) throws { fatalError("unavailable") }
}

/// `Codable` types, and optionals and collections of them. A conformance may be isolated to the
/// actor of the class; the compiler checks only a requirement of the type itself, not one that an
/// optional or a collection passes on.
extension ObjectValues {
  /// Sets the encoded value of a `Codable` type.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: V) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of an optional `Codable` type.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: V?) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of a list.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: [V]) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of an optional list.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: [V]?) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of a set.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: Set<V>) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of an optional set.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: Set<V>?) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of a dictionary.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: [String: V]) throws {
    try encode(key, value)
  }

  /// Sets the encoded value of an optional dictionary.
  @_disfavoredOverload
  public mutating func set<V: Codable>(_ key: PropertyKey, _ value: [String: V]?) throws {
    try encode(key, value)
  }

  private mutating func encode<V: Codable>(_ key: PropertyKey, _ value: V) throws {
    do {
      try set(key, value: try DynamicForm.value(of: value))
    } catch let error as VarveError where error.code != .notEncodable {
      throw Self.notEncodable(key, error.message)
    }
  }
}
