/// Properties by their types, which the compiler checks: a type that cannot be stored does not
/// compile, and neither does one whose conformance is isolated to an actor.
extension SchemaField {
  /// Creates a property. One of type ``Ref`` is a relation.
  ///
  /// - Parameters:
  ///   - name: the stored name.
  ///   - keyPath: the key path in the model.
  ///   - options: the rules, indexes and other options. If one does not fit the property's type,
  ///     saving and listing issues throw `invalidArgument`.
  public init<V: PropertyValue>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, of: keyPath, options, StoredForm<V>())
  }

  /// Creates a relation to many.
  public init<Target>(
    _ name: String,
    _ keyPath: any KeyPath<Model, Many<Target>> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, of: keyPath, options, nil)
  }

  /// Creates a property whose type is an enumeration with raw values.
  @_disfavoredOverload
  public init<V: RawRepresentable & Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) where V.RawValue: PropertyValue {
    self.init(name, of: keyPath, options, StoredForm(enumeration: V.self))
  }

  /// Creates a property whose type is an optional enumeration with raw values.
  @_disfavoredOverload
  public init<V: RawRepresentable & Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V?> & Sendable,
    _ options: FieldOption...
  ) where V.RawValue: PropertyValue {
    self.init(name, of: keyPath, options, StoredForm(optional: V.self))
  }

  /// Creates a property whose type is an enumeration with raw values.
  @_disfavoredOverload
  public init<V: RawRepresentable & Codable & Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) where V.RawValue: PropertyValue {
    self.init(name, of: keyPath, options, StoredForm(enumeration: V.self))
  }

  /// Creates a property whose type is an optional enumeration with raw values.
  @_disfavoredOverload
  public init<V: RawRepresentable & Codable & Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V?> & Sendable,
    _ options: FieldOption...
  ) where V.RawValue: PropertyValue {
    self.init(name, of: keyPath, options, StoredForm(optional: V.self))
  }

  /// Creates a property of a `Codable` type.
  @_disfavoredOverload
  public init<V: Codable & Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    self.init(name, of: keyPath, options, StoredForm(coding: V.self))
  }

  /// Refuses a type that cannot be stored.
  @available(
    *,
    unavailable,
    message: "a property's type must be a PropertyValue, an enumeration with raw values, or Codable"
  )
  @_disfavoredOverload
  public init<V: Sendable>(
    _ name: String,
    _ keyPath: any KeyPath<Model, V> & Sendable,
    _ options: FieldOption...
  ) {
    fatalError("unavailable")
  }
}
