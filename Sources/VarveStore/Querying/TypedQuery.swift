public import VarveCore

/// What models to fetch, as an immutable value: every step answers a new query.
///
/// ```swift
/// let wide = Hat.where { $0.color == "red" && $0.brimSize > 10 }.order(by: \.brimSize).limit(10)
/// let hats = try await store.fetch(wide)
/// let then = try await store.asOf(lastMonday).fetch(wide)
/// ```
///
/// Without an order, models come in the order they were created.
public struct TypedQuery<Model: Persistable>: Sendable {
  /// The same without the model: for what is only known at run time.
  public internal(set) var erased: Query
  /// What is loaded along.
  var inclusions: [Inclusion<Model>] = []
  /// The types that what is loaded along depends on; nil for all.
  var includedTypes: Set<EntityType>? = []

  /// A query made at run time, read as models. Its type must be the model's.
  ///
  /// - Throws: ``VarveError`` with code `typeMismatch` where it is not.
  public init(_ query: Query) throws {
    guard query.type == Model.schema.type else {
      throw VarveError(
        .typeMismatch,
        "a query of \"\(query.type)\" does not fetch \(Model.self), which is \"\(Model.schema.type)\"",
        at: "query of \"\(query.type)\"",
        remedy: "Query the model's own type."
      )
    }
    erased = query
    erased.knownKeys = Model.schema.knownKeys
  }

  init(unchecked query: Query) { erased = query }

  func with(_ query: Query) -> TypedQuery {
    var copy = self
    copy.erased = query
    return copy
  }
}

extension Persistable {
  /// All of them.
  public static var all: TypedQuery<Self> { TypedQuery(unchecked: schema.query) }

  /// Those that satisfy a condition on their properties.
  ///
  /// ```swift
  /// let red = Hat.where { $0.color == "red" }
  /// ```
  public static func `where`(
    _ condition: (ModelColumns<Self>) -> Condition
  ) -> TypedQuery<Self> {
    all.where(condition)
  }
}

// MARK: Narrowing

extension TypedQuery {
  /// Narrows: models must satisfy this as well.
  public func `where`(_ condition: (ModelColumns<Model>) -> Condition) -> TypedQuery {
    self.where(condition(ModelColumns()))
  }

  /// Narrows by a condition made elsewhere.
  public func `where`(_ condition: Condition) -> TypedQuery { with(erased.where(condition)) }

  /// Narrows: each property, by its stored name, must equal its value, or be missing where that is
  /// nil. A name the model does not have is `unknownProperty` when the query runs.
  public func `where`(_ values: [PropertyKey: Value?]) -> TypedQuery {
    let conditions = values.sorted { $0.key < $1.key }.map { key, value -> Condition in
      let field = Model.schema.field(named: key)
      guard field == .identifier, case .reference(let id) = value else { return field.eq(value) }
      return field.eq(.string(id.text))
    }
    return conditions.reduce(self) { $0.where($1) }
  }

  /// Narrows by an SQL expression. It is put in parentheses, and values are bound, never spelled
  /// out.
  ///
  /// ```swift
  /// let wide = Hat.all.where(sql: "brim_size > ? OR color = ?", [10, "red"])
  /// ```
  ///
  /// The expression sees tables and columns as they are called in the store; a value of another kind
  /// than most of its column is nothing to it.
  public func `where`(sql: String, _ values: [Value] = []) -> TypedQuery {
    with(erased.where(sql: sql, values))
  }

  /// Narrows by a condition on what is joined.
  public func `where`<Joined: Persistable>(
    joined model: Joined.Type,
    _ condition: (ModelColumns<Joined>) -> Condition
  ) -> TypedQuery {
    self.where(condition(ModelColumns(of: Joined.schema.type)))
  }

  /// Narrows to those that contain all the words, in any of the properties, or in all searchable
  /// ones if none is named. Present states only.
  public func matching(_ words: String, in keyPaths: PartialKeyPath<Model>...) -> TypedQuery {
    let fields =
      keyPaths.isEmpty
      ? Model.schema.columns.filter(\.isSearchable).map(\.column.field)
      : keyPaths.map(Model.schema.queried)
    return self.where(.matches(words, fields))
  }
}

// MARK: Order and window

extension TypedQuery {
  /// Adds a criterion after those there are.
  public func order<V>(
    by keyPath: KeyPath<Model, V>,
    descending isDescending: Bool = false
  ) -> TypedQuery {
    with(erased.order(by: Model.schema.queried(keyPath), descending: isDescending))
  }

  /// Adds a criterion by the stored name of a property; `id` is the identifier.
  public func order(by name: PropertyKey, descending isDescending: Bool = false) -> TypedQuery {
    with(erased.order(by: Model.schema.field(named: name), descending: isDescending))
  }

  /// Turns every criterion round; without any, the order is by identifier, descending.
  public var reversed: TypedQuery { with(erased.reversed) }

  /// Bounds the number fetched; a later call can only lower it. A negative number traps.
  public func limit(_ count: Int) -> TypedQuery { with(erased.limit(count)) }

  /// Passes over the first. A negative number traps.
  public func offset(_ count: Int) -> TypedQuery { with(erased.offset(count)) }

  /// Each model once, however often a join repeats it: where the order puts it first. Of
  /// ``select(_:)`` each combination of values once.
  public var distinct: TypedQuery { with(erased.distinct) }

  /// Models of further types too: the kinds below this one, whose rows are read as this model.
  public func including(_ kinds: [EntityType]) -> TypedQuery { with(erased.including(kinds)) }
}

// MARK: Joins

extension TypedQuery {
  /// Joins another model: one row for each pair in which the properties are equal. Each model can be
  /// joined once, the query's own too; see ``Query/join(_:on:equals:)``.
  ///
  /// ```swift
  /// let query = Customer.all.join(Order.self, on: \.customer, equals: \.id)
  ///   .where(joined: Order.self) { $0.hat == hat.ref }
  /// ```
  public func join<Joined: Persistable, V, W>(
    _ model: Joined.Type,
    on keyPath: KeyPath<Joined, V>,
    equals other: KeyPath<Model, W>
  ) -> TypedQuery {
    join(model, on: Joined.schema.queried(keyPath), equals: Model.schema.queried(other))
  }

  /// Joins another model by the stored names of two properties; `id` is the identifier.
  public func join<Joined: Persistable>(
    _ model: Joined.Type,
    on name: PropertyKey,
    equals other: PropertyKey
  ) -> TypedQuery {
    join(model, on: Joined.schema.field(named: name), equals: Model.schema.field(named: other))
  }

  private func join<Joined: Persistable>(
    _ model: Joined.Type,
    on field: Field,
    equals other: Field
  ) -> TypedQuery {
    var query = with(erased.join(Joined.schema.type, on: field, equals: other))
    query.erased.joinedKeys[Joined.schema.type] = Joined.schema.knownKeys
    return query
  }

  /// Joins by SQL, the keyword included, after what is joined already.
  public func join(sql: String, _ values: [Value] = []) -> TypedQuery {
    with(erased.join(sql: sql, values))
  }
}
