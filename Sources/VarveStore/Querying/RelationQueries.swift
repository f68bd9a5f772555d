public import VarveCore

extension Persistable {
  /// The models that refer to this one: through the reference to it in their schema, or, where there
  /// is none or several, through a property named after this model, like `hat_id`.
  ///
  /// ```swift
  /// let orders = try await store.fetch(hat.toMany(Order.self))
  /// ```
  ///
  /// It is a query: it can be narrowed, counted and ordered. The reference gets an index when it is
  /// first followed back.
  ///
  /// - Parameters:
  ///   - model: what refers here.
  ///   - foreignKey: the stored name of the property that does, where it is not the usual one.
  public func toMany<Other: Persistable>(
    _ model: Other.Type = Other.self,
    foreignKey: PropertyKey? = nil
  ) -> TypedQuery<Other> {
    let key = foreignKey ?? Other.schema.reference(to: Self.self)
    var query = Other.schema.query
    query.knownKeys?.insert(key)
    query.wantedIndexes.append(WantedIndex(type: Other.schema.type, key: key))
    return TypedQuery(unchecked: query.toMany(of: id.entityID, by: Other.schema.field(named: key)))
  }

  /// The models of a relation of this one.
  ///
  /// ```swift
  /// let red = try await store.fetch(shop.query(\.hats).where { $0.color == "red" })
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `invalidQuery` where the relation has no inverse: what it
  ///   holds is then loaded by ``TypedQuery/with(_:_:)-(KeyPath<Model,Many<Target>>,_)``.
  public func query<Target>(_ keyPath: KeyPath<Self, Many<Target>>) throws -> TypedQuery<Target> {
    guard let key = Self.schema.field(keyPath)?.relation?.inverseName else {
      throw VarveError(
        .invalidQuery,
        "the relation has no inverse to query by",
        at: "schema of \(Self.self), \(keyPath)",
        remedy: "Declare one, or load the relation along with its model."
      )
    }
    return toMany(Target.self, foreignKey: key)
  }

  /// The models an intermediate query of this one's leads to, one row for each way.
  ///
  /// ```swift
  /// let customers = try hat.toMany(Customer.self, through: hat.toMany(Order.self))
  /// ```
  ///
  /// - Parameters:
  ///   - model: the result.
  ///   - intermediate: what leads there.
  ///   - foreignKey: the stored name of the property that refers: one of the intermediate model, or,
  ///     with `joinToMany`, one of the result.
  ///   - joinToMany: whether the result refers to the intermediate model.
  /// - Throws: ``VarveError`` with code `invalidQuery` where the intermediate query has a limit or an
  ///   offset.
  public func toMany<Other: Persistable, Middle>(
    _ model: Other.Type = Other.self,
    through intermediate: TypedQuery<Middle>,
    foreignKey: PropertyKey? = nil,
    joinToMany: Bool = false
  ) throws -> TypedQuery<Other> {
    try Other.all.through(intermediate, foreignKey: foreignKey, joinToMany: joinToMany)
  }
}

extension TypedQuery {
  /// Narrows to what an intermediate query leads to. See
  /// ``Persistable/toMany(_:through:foreignKey:joinToMany:)``.
  public func through<Middle>(
    _ intermediate: TypedQuery<Middle>,
    foreignKey: PropertyKey? = nil,
    joinToMany: Bool = false
  ) throws -> TypedQuery {
    var query = self
    let field: Field
    if joinToMany {
      let key = foreignKey ?? Model.schema.reference(to: Middle.self)
      query.erased.knownKeys?.insert(key)
      field = Model.schema.field(named: key)
    } else {
      field = Middle.schema.field(named: foreignKey ?? Middle.schema.reference(to: Model.self))
    }
    query.erased = try query.erased.through(intermediate.erased, by: field, joinToMany: joinToMany)
    query.erased.wantedIndexes += intermediate.erased.wantedIndexes
    return query
  }
}

extension Schema {
  /// The stored name of the property that refers to a model: the only reference to it, or the usual
  /// name.
  func reference<Other: Persistable>(to model: Other.Type) -> PropertyKey {
    let references = fields.filter { field in
      guard let relation = field.relation, !relation.isToMany else { return false }
      return relation.target().type == Other.schema.type
    }
    guard references.count == 1, let only = references.first else {
      return PropertyKey(Other.foreignKeyName)
    }
    return PropertyKey(only.name)
  }

  /// What queries call a property of a stored name; `id` is the identifier unless a property is
  /// called so.
  func field(named key: PropertyKey) -> Field {
    guard let position = shape.position(of: key.text) else {
      return key == "id" ? .identifier : .property(key)
    }
    return columns[position].field
  }
}
