package import VarveCore

/// The stored form of a property's type: how its values are written and read.
///
/// It uses the conformances that the compiler found where the property is declared. A conformance
/// that is looked up at run time may be isolated to an actor, and is then found on that actor only.
struct StoredForm<V>: Sendable {
  /// Returns the value to store; nil if there is none to store.
  let value: @Sendable (V) throws -> Value?
  /// Reads the property at a position in a row.
  let read: @Sendable (EntityRow, Int) throws -> V
  /// Creates an instance from a stored value; nil if the type cannot represent it.
  let instance: @Sendable (Value) -> V?

  /// The instance for a missing value; nil if the type has none.
  var nothing: V? {
    (V.self as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? V }
  }
}

extension StoredForm where V: PropertyValue {
  /// The form of a type that defines its own.
  init() {
    value = { value in
      if let stored = value.propertyValue { return stored }
      guard value.isNothing else { throw VarveError.notStorable(value) }
      return nil
    }
    read = { row, position in try row.read(position) }
    instance = { V(propertyValue: $0) }
  }
}

extension StoredForm where V: RawRepresentable & Sendable, V.RawValue: PropertyValue {
  /// The form of an enumeration, which is stored as its raw value.
  init(enumeration: V.Type) {
    let raw = StoredForm<V.RawValue>()
    value = { try raw.value($0.rawValue) }
    read = { row, position in try row.read(position) }
    instance = { raw.instance($0).flatMap(V.init(rawValue:)) }
  }
}

extension StoredForm {
  /// The form of an optional enumeration.
  init<W: RawRepresentable & Sendable>(optional enumeration: W.Type)
  where V == W?, W.RawValue: PropertyValue {
    let wrapped = StoredForm<W>(enumeration: W.self)
    value = { try $0.flatMap(wrapped.value) }
    read = { row, position in try row.read(position) }
    instance = { wrapped.instance($0) }
  }

  /// The form of an optional, of which a condition knows the wrapped type's form.
  init<W>(wrapping form: StoredForm<W>) where V == W? {
    value = { try $0.flatMap(form.value) }
    read = { row, position in
      try row.value(at: position) == nil ? nil : try form.read(row, position)
    }
    instance = { form.instance($0) }
  }
}

extension StoredForm where V: Codable & Sendable {
  /// The form of a type that is stored as it encodes itself.
  init(coding: V.Type) {
    value = { value in
      if let optional = value as? any MaybeNothing, optional.isNil { return nil }
      return try ValueEncoder().encode(value)
    }
    read = { row, position in try row.read(position) }
    instance = { try? ValueDecoder().decode(V.self, from: $0) }
  }
}

/// A value that may be nil.
package protocol MaybeNothing { var isNil: Bool { get } }

extension Optional: MaybeNothing { package var isNil: Bool { self == nil } }

extension VarveError {
  /// The error for a value that cannot be stored.
  package static func notStorable(_ value: Any) -> VarveError {
    VarveError(
      .unsupportedValue,
      "\(value) cannot be stored",
      remedy: "Integers have 64 bits, with a sign; arrays and dictionaries contain no nil."
    )
  }
}
