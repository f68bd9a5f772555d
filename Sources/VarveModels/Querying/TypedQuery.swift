public import VarveCore

/// A description of the models to fetch. It is an immutable value: every step returns a new query.
///
/// ```swift
/// let wide = Hat.where { $0.color == "red" && $0.brimSize > 10 }.order(by: \.brimSize).limit(10)
/// let hats = try await store.fetch(wide)
/// let then = try await store.asOf(lastMonday).fetch(wide)
/// ```
///
/// Without an order, models come in the order they were created.
public struct TypedQuery<Model: Persistable>: Sendable {
  /// The query without the model, for types that are known at run time only.
  public internal(set) var untyped: Query
  /// The relations to load.
  var inclusions: [Inclusion<Model>] = []
  /// The types that the loaded relations depend on; nil for all.
  var includedTypes: Set<EntityType>? = []

  /// Creates a query of models from one that was built at run time. Its type must be the model's.
  ///
  /// - Throws: ``VarveError`` with code `typeMismatch` if it is not.
  public init(_ query: Query) throws {
    guard query.type == Model.schema.type else {
      throw VarveError(
        .typeMismatch,
        "a query of \"\(query.type)\" does not fetch \(Model.self), which is \"\(Model.schema.type)\"",
        at: "query of \"\(query.type)\"",
        remedy: "Query the model's own type."
      )
    }
    untyped = query.including(Model.schema.types)
    untyped.knownKeys = Model.schema.knownKeys
    untyped.tokenizers = Model.schema.tokenizers
  }

  init(unchecked query: Query) { untyped = query }

  func with(_ query: Query) -> TypedQuery {
    var copy = self
    copy.untyped = query
    return copy
  }
}

extension Persistable {
  /// A query for all models of the type.
  public static var all: TypedQuery<Self> { TypedQuery(unchecked: schema.query) }

  /// Returns a query for the models that satisfy a condition on their properties.
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
  /// Returns the query limited to models that also satisfy a condition.
  public func `where`(_ condition: (ModelColumns<Model>) -> Condition) -> TypedQuery {
    self.where(condition(ModelColumns()))
  }

  /// Returns the query limited by an untyped condition.
  public func `where`(_ condition: Condition) -> TypedQuery { with(untyped.where(condition)) }

  /// Returns the query limited to models whose properties, by stored name, equal the values, or are
  /// missing if the value is nil. A name that the model does not have throws `unknownProperty` when
  /// the query runs.
  public func `where`(_ values: [PropertyKey: Value?]) -> TypedQuery {
    let conditions = values.sorted { $0.key < $1.key }.map { key, value -> Condition in
      let field = Model.schema.field(named: key)
      guard field == .identifier, case .reference(let id) = value else { return field == value }
      return field == .string(id.text)
    }
    return conditions.reduce(self) { $0.where($1) }
  }

  /// Returns the query limited by an SQL expression. The expression is put in parentheses, and the
  /// values are bound to its placeholders.
  ///
  /// ```swift
  /// let wide = Hat.all.where(sql: "brim_size > ? OR color = ?", [10, "red"])
  /// ```
  ///
  /// Tables and columns have the names they have in the store. A value of another kind than its
  /// column is NULL.
  public func `where`(sql: String, _ values: [Value] = []) -> TypedQuery {
    with(untyped.where(sql: sql, values))
  }

  /// Returns the query limited by a condition on a joined model.
  public func `where`<Joined: Persistable>(
    joined model: Joined.Type,
    _ condition: (ModelColumns<Joined>) -> Condition
  ) -> TypedQuery {
    self.where(condition(ModelColumns(of: Joined.schema.type)))
  }

  /// Returns the query limited by a condition on the query's model and a joined one.
  ///
  /// ```swift
  /// let large = Customer.all.join(Order.self, on: \.customer, equals: \.id)
  ///   .where(joined: Order.self) { customer, order in order.total > customer.limit }
  /// ```
  public func `where`<Joined: Persistable>(
    joined model: Joined.Type,
    _ condition: (ModelColumns<Model>, ModelColumns<Joined>) -> Condition
  ) -> TypedQuery {
    self.where(condition(ModelColumns(), ModelColumns(of: Joined.schema.type)))
  }

  /// Returns the query limited to models that contain all the words in any of the properties, or in
  /// all searchable ones if none is named.
  ///
  /// ```swift
  /// let notes = try await store.fetch(Note.all.matching("wool hat*", byRelevance: true))
  /// ```
  ///
  /// - Parameters:
  ///   - words: the words. One that ends in `*` stands for all words with this prefix, and words in
  ///     double quotes for themselves in a row.
  ///   - keyPaths: the properties to search.
  ///   - byRelevance: whether the most relevant models come first; see ``Field/relevance(_:_:)``.
  public func matching(
    _ words: String,
    in keyPaths: PartialKeyPath<Model>...,
    byRelevance: Bool = false
  ) -> TypedQuery {
    let fields =
      keyPaths.isEmpty
      ? Model.schema.columns.filter(\.isSearchable).map(\.column.field)
      : keyPaths.map(Model.schema.queried)
    let found = self.where(.matches(words, fields))
    guard byRelevance else { return found }
    return found.with(found.untyped.order(by: .relevance(words, fields), descending: true))
  }
}

// MARK: Order and window

extension TypedQuery {
  /// Returns the query with a further sort criterion, of lower precedence.
  public func order<V>(
    by keyPath: KeyPath<Model, V>,
    descending isDescending: Bool = false
  ) -> TypedQuery {
    with(untyped.order(by: Model.schema.queried(keyPath), descending: isDescending))
  }

  /// Returns the query with a further sort criterion, by a column as conditions have it.
  ///
  /// ```swift
  /// let people = Person.all.order { $0.name.ignoringCase }
  /// ```
  public func order<V>(
    descending isDescending: Bool = false,
    _ column: (ModelColumns<Model>) -> ModelColumn<Model, V>
  ) -> TypedQuery {
    with(untyped.order(by: column(ModelColumns()).field, descending: isDescending))
  }

  /// Returns the query with a further sort criterion, by the stored name of a property; `id` is the
  /// identifier.
  public func order(by name: PropertyKey, descending isDescending: Bool = false) -> TypedQuery {
    with(untyped.order(by: Model.schema.field(named: name), descending: isDescending))
  }

  /// The query with every sort criterion reversed. Without criteria, the order is by identifier,
  /// descending.
  public var reversed: TypedQuery { with(untyped.reversed) }

  /// Returns the query with a limit to the number of models. A later call can only lower it. A
  /// negative number traps.
  public func limit(_ count: Int) -> TypedQuery { with(untyped.limit(count)) }

  /// Returns the query that skips the first models. A negative number traps.
  public func offset(_ count: Int) -> TypedQuery { with(untyped.offset(count)) }

  /// The query that fetches each model once, at its first place, however often a join repeats it.
  /// With ``select(_:)``, each combination of values is fetched once.
  public var distinct: TypedQuery { with(untyped.distinct) }

  /// Returns the query extended to subtypes of the model's type, whose rows are read as this model.
  public func including(_ kinds: [EntityType]) -> TypedQuery { with(untyped.including(kinds)) }
}

// MARK: Joins

extension TypedQuery {
  /// Returns the query joined with another model: one row for each pair whose properties are equal.
  /// Each model can be joined once, including the query's own; see ``Query/join(_:on:equals:)``.
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

  /// Returns the query joined with another model by the stored names of two properties; `id` is the
  /// identifier.
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
    var query = with(untyped.join(Joined.schema.type, on: field, equals: other))
    query.untyped.joinedKeys[Joined.schema.type] = Joined.schema.knownKeys
    if Joined.schema.types.count > 1 {
      query.untyped.refusal = VarveError(
        .invalidQuery,
        "\(Joined.self) has former type labels, and a join reads only one type",
        at: "query of \"\(Model.schema.type)\"",
        remedy: "Query \(Joined.self) and join the other model, or compare references."
      )
    }
    return query
  }

  /// Returns the query with an SQL join, including its keyword, after the existing joins.
  public func join(sql: String, _ values: [Value] = []) -> TypedQuery {
    with(untyped.join(sql: sql, values))
  }
}
