public import VarveCore

extension Persistable {
  /// Returns a query for the models that refer to this one. They do so by the only reference to
  /// this model in their schema. If there is none, or several, it is the property named after this
  /// model, such as `hat_id`; without one, the query throws `invalidQuery` when it runs.
  ///
  /// ```swift
  /// let orders = try await store.fetch(hat.toMany(Order.self))
  /// ```
  ///
  /// The query can be narrowed, counted and ordered. The reference gets an index when it is first
  /// followed backwards.
  ///
  /// - Parameters:
  ///   - model: the model that refers to this one.
  ///   - foreignKey: the stored name of the referring property, if it is not the usual one.
  public func toMany<Other: Persistable>(
    _ model: Other.Type = Other.self,
    foreignKey: PropertyKey? = nil
  ) -> TypedQuery<Other> {
    var query = Other.schema.query
    switch Other.schema.reference(to: Self.self, named: foreignKey) {
    case .success(let field):
      if case .property(let key) = field {
        query.wantedIndexes.append(WantedIndex(type: Other.schema.type, key: key))
      }
      query = query.toMany(of: id.entityID, by: field)
    case .failure(let error): query.refusal = error
    }
    return TypedQuery(unchecked: query)
  }

  /// Returns a query for the models of a relation of this one.
  ///
  /// ```swift
  /// let red = try await store.fetch(shop.query(\.hats).where { $0.color == "red" })
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `invalidQuery` if the relation has no inverse. Its models
  ///   are then loaded by ``TypedQuery/with(_:_:)-(KeyPath<Model,Many<Target>>,_)``.
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

  /// Returns a query for the models that an intermediate query leads to, with one row for each
  /// path.
  ///
  /// ```swift
  /// let customers = try hat.toMany(Customer.self, through: hat.toMany(Order.self))
  /// ```
  ///
  /// - Parameters:
  ///   - model: the model to fetch.
  ///   - intermediate: the query that leads to it.
  ///   - foreignKey: the stored name of the referring property: of the intermediate model, or, with
  ///     `joinToMany`, of the fetched one.
  ///   - joinToMany: whether the fetched model refers to the intermediate one. If nil, it does
  ///     unless the intermediate model refers to the fetched one.
  /// - Throws: ``VarveError`` with code `invalidQuery` if the intermediate query has a limit or an
  ///   offset, or if no property refers, or several do and none is named.
  public func toMany<Other: Persistable, Middle>(
    _ model: Other.Type = Other.self,
    through intermediate: TypedQuery<Middle>,
    foreignKey: PropertyKey? = nil,
    joinToMany: Bool? = nil
  ) throws -> TypedQuery<Other> {
    try Other.all.through(intermediate, foreignKey: foreignKey, joinToMany: joinToMany)
  }
}

extension TypedQuery {
  /// Returns the query limited to models that an intermediate query leads to. See
  /// ``Persistable/toMany(_:through:foreignKey:joinToMany:)``.
  public func through<Middle>(
    _ intermediate: TypedQuery<Middle>,
    foreignKey: PropertyKey? = nil,
    joinToMany: Bool? = nil
  ) throws -> TypedQuery {
    let isToMany =
      joinToMany
      ?? (!Middle.schema.mayRefer(to: Model.self, by: foreignKey)
        && Model.schema.mayRefer(to: Middle.self, by: foreignKey))
    let field =
      isToMany
      ? try Model.schema.reference(to: Middle.self, named: foreignKey).get()
      : try Middle.schema.reference(to: Model.self, named: foreignKey).get()
    return with(try untyped.through(intermediate.untyped, by: field, joinToMany: isToMany))
  }
}

extension Schema {
  /// Returns the references to a model.
  private func references<Other: Persistable>(to model: Other.Type) -> [SchemaField<Model>] {
    fields.filter { field in
      guard let relation = field.relation, !relation.isToMany else { return false }
      return relation.target().type == Other.schema.type
    }
  }

  /// Returns whether a property with a name refers to a model, or, without a name, whether any
  /// property may.
  func mayRefer<Other: Persistable>(to model: Other.Type, by name: PropertyKey?) -> Bool {
    if let name { return column(named: name) != nil }
    return !references(to: model).isEmpty || column(named: PropertyKey(Other.foreignKeyName)) != nil
  }

  /// Returns the property that refers to a model: the one with the given name, the only reference,
  /// or the one with the usual name.
  func reference<Other: Persistable>(
    to model: Other.Type,
    named name: PropertyKey?
  ) -> Result<Field, VarveError> {
    // A property that the model does not have is refused when the query runs, as everywhere.
    if let name { return .success(column(named: name)?.field ?? field(named: name)) }
    let references = references(to: model)
    if references.count == 1, let only = references.first { return .success(only.column.field) }
    if let usual = column(named: PropertyKey(Other.foreignKeyName)) { return .success(usual.field) }
    let names = references.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return .failure(
      VarveError(
        .invalidQuery,
        references.isEmpty
          ? "no property of \(Model.self) refers to \(Other.self)"
          : "several properties of \(Model.self) refer to \(Other.self): \(names)",
        at: "query of \"\(type)\"",
        remedy: "Name the referring property by `foreignKey`."
      )
    )
  }

  /// Returns the column of a property, by its present or a former stored name.
  private func column(named key: PropertyKey) -> RowShape.Column? {
    if let position = shape.position(of: key.text) { return shape.columns[position] }
    return shape.columns.first { $0.older.contains(key) }
  }

  /// Returns the field of a property by its stored name. `id` is the identifier unless a property
  /// has that name.
  func field(named key: PropertyKey) -> Field {
    guard let position = shape.position(of: key.text) else {
      return key == "id" ? .identifier : .property(key)
    }
    return columns[position].field
  }
}
