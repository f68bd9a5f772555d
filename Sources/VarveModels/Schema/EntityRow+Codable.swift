import VarveCore

/// `Codable` types, which are stored as dictionaries, arrays or whatever else they encode to.
extension EntityRow {
  /// Returns the value of a property; nil if it is missing and the type is optional.
  ///
  /// - Throws: ``VarveError``: `missingField`; `fieldType` if the value cannot be decoded.
  @_disfavoredOverload
  public func read<V: Codable & Sendable>(_ position: Int) throws -> V {
    if let value: V = try decoded(position) { return value }
    if let nothing = nothing(V.self) { return nothing }
    throw missing(at: position)
  }

  /// Returns the value of a property, or a default if it is missing.
  @_disfavoredOverload
  public func read<V: Codable & Sendable>(
    _ position: Int,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try decoded(position) ?? value()
  }

  private func decoded<V: Codable & Sendable>(_ position: Int) throws -> V? {
    guard let value = try value(at: position) else { return nil }
    do {
      return try ValueDecoder().decode(V.self, from: value)
    } catch {
      guard let converted = cursor.converted(position, value) else { throw error }
      return try ValueDecoder().decode(V.self, from: converted)
    }
  }

  private func nothing<V>(_ type: V.Type) -> V? {
    (type as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? V }
  }
}

extension PropertyValues {
  /// Appends the encoded value of the next property.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue`.
  @_disfavoredOverload
  public mutating func append<V: Codable & Sendable>(_ value: V) throws {
    append(value: try StoredForm(coding: V.self).value(value))
  }
}

/// Types that cannot be stored.
extension EntityRow {
  /// Refuses a type that cannot be read.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public func read<V>(_ position: Int) throws -> V { fatalError("unavailable") }

  /// Refuses a type that cannot be read.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public func read<V>(_ position: Int, default value: @autoclosure () throws -> V) throws -> V {
    fatalError("unavailable")
  }
}

extension PropertyValues {
  /// Refuses a type that cannot be stored.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public mutating func append<V>(_ value: V) throws { fatalError("unavailable") }
}
