import VarveCore
import VarveModels

/// The stored form of values whose type is known only as the program runs: a class names its
/// properties without their types.
enum DynamicForm {
  /// Returns the value to store; nil if there is none to store.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue` if the value cannot be stored.
  static func value<V>(of value: V) throws -> Value? {
    if let value = value as? any PropertyValue {
      if let stored = value.propertyValue { return stored }
      guard value.isNothing else { throw VarveError.notStorable(value) }
      return nil
    }
    let mirror = value as Any
    if let nothing = mirror as? any MaybeNothing, nothing.isNil { return nil }
    if let raw = mirror as? any RawRepresentable { return try rawValue(of: raw) }
    if let encodable = mirror as? any Encodable { return try ValueEncoder().encode(encodable) }
    throw VarveError(
      .unsupportedValue,
      "\(value) cannot be stored here",
      remedy:
        "Make \(V.self) a PropertyValue, or Codable. In a module whose declarations belong to "
        + "the main actor, mark the type nonisolated."
    )
  }

  private static func rawValue(of value: some RawRepresentable) throws -> Value? {
    try self.value(of: value.rawValue)
  }
}
