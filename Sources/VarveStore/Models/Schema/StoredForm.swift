import VarveCore

/// The stored form of values of any Swift type.
enum StoredForm {
  /// Returns the value to store; nil if there is none to store.
  ///
  /// - Throws: ``VarveError`` with code `unsupportedValue` if the value cannot be stored.
  static func value<V>(of value: V) throws -> Value? {
    if let value = value as? any PropertyValue {
      if let stored = value.propertyValue { return stored }
      guard value.isNothing else { throw unsupported(value) }
      return nil
    }
    let mirror = value as Any
    if let nothing = mirror as? any MaybeNothing, nothing.isNil { return nil }
    if let raw = mirror as? any RawRepresentable { return try rawValue(of: raw) }
    guard let encodable = mirror as? any Encodable else { throw unsupported(value) }
    return try ValueEncoder().encode(encodable)
  }

  private static func rawValue(of value: some RawRepresentable) throws -> Value? {
    try self.value(of: value.rawValue)
  }

  private static func unsupported(_ value: Any) -> VarveError {
    VarveError(
      .unsupportedValue,
      "\(value) cannot be stored",
      remedy: "Make \(Swift.type(of: value)) a PropertyValue, or Codable."
    )
  }
}

/// A value that may be nil.
private protocol MaybeNothing { var isNil: Bool { get } }

extension Optional: MaybeNothing { fileprivate var isNil: Bool { self == nil } }
