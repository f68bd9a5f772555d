/// What to fetch, as an immutable value: every step answers a new query.
///
/// Without an order, entities come in creation order (R5). Ties of an order are broken by creation
/// order too.
///
/// ```swift
/// let query = Query("Country")
///   .where(Field("name").hasPrefix("S"))
///   .order(by: Field("name"))
///   .limit(10)
/// ```
public struct Query: Hashable, Sendable {
  /// One criterion of an order.
  public struct Ordering: Hashable, Sendable {
    /// What is compared. Missing values come first, then kinds in the order of ``Value/Kind``
    /// given by ``Value/sortRank``.
    public let field: Field
    /// Whether the greatest comes first.
    public let isDescending: Bool

    /// Creates a criterion.
    public init(_ field: Field, descending: Bool = false) {
      self.field = field
      isDescending = descending
    }
  }

  /// The columns of the query's SQL.
  public enum Selection: Hashable, Sendable {
    /// Whole entities.
    case all
    /// Some fields. Only the SQL of the query has them; a query that selects them cannot be run.
    case fields([Field])
    /// A list of SQL expressions. Only the SQL of the query has them; a query that selects them
    /// cannot be run.
    case sql(String)
  }

  /// The type of the entities.
  public let type: EntityType
  /// Further types whose entities count too: the kinds below that type.
  public private(set) var subtypes: [EntityType] = []
  /// The condition they satisfy.
  public private(set) var condition: Condition = .always
  /// What is joined, in order.
  public private(set) var joins: [Join] = []
  /// The criteria, the first with precedence.
  public private(set) var ordering: [Ordering] = []
  /// The most to fetch.
  public private(set) var limit: Int?
  /// How many to pass over first.
  public private(set) var offset = 0
  /// Whether an entity comes once, however often a join repeats it.
  public private(set) var isDistinct = false
  /// The columns of the query's SQL.
  public private(set) var selection: Selection = .all
  /// The properties the entities can have, where a model says so; others are `unknownProperty`.
  package var knownKeys: Set<PropertyKey>?
  /// The same of types that are joined.
  package var joinedKeys: [EntityType: Set<PropertyKey>] = [:]
  /// What it would be slow without an index on: references that are followed back.
  package var wantedIndexes: [WantedIndex] = []
  /// What the order's criteria say of the row to begin after, one value for each.
  package private(set) var mark: [Value?]?
  /// Why the query cannot run, found while it was made.
  package var refusal: VarveError?

  /// All entities of a type.
  public init(_ type: EntityType) { self.type = type }

  /// Entities of further types too, as kinds of this one.
  public func including(_ subtypes: [EntityType]) -> Query {
    var query = self
    for type in subtypes where type != self.type && !query.subtypes.contains(type) {
      query.subtypes.append(type)
    }
    return query
  }

  /// Narrows: entities must satisfy this as well.
  public func `where`(_ condition: Condition) -> Query {
    guard condition != .always else { return self }
    var query = self
    query.condition = self.condition == .always ? condition : .and([self.condition, condition])
    return query
  }

  /// Narrows: each property must equal its value, or be missing where that is nil. Conditions stand
  /// in order of the keys; an empty dictionary changes nothing.
  public func `where`(_ values: [PropertyKey: Value?]) -> Query {
    let conditions = values.sorted { $0.key < $1.key }.map { Field($0.key).eq($0.value) }
    return conditions.reduce(self) { $0.where($1) }
  }

  /// Narrows by an SQL expression, with placeholders for values. It is put in parentheses.
  ///
  /// ```swift
  /// let wide = Query("hats").where(sql: "brim_size > ? OR color = ?", [10, "red"])
  /// ```
  public func `where`(sql: String, _ values: [Value] = []) -> Query {
    sql.allSatisfy(\.isWhitespace) ? self : self.where(.sql(sql, values))
  }

  /// Adds a criterion after those there are.
  public func order(by field: Field, descending: Bool = false) -> Query {
    var query = self
    query.ordering.append(Ordering(field, descending: descending))
    return query
  }

  /// Turns every criterion round; without any, the order is by identifier, descending. New
  /// identifiers rise with time.
  public var reversed: Query {
    var query = self
    query.ordering =
      ordering.isEmpty
      ? [Ordering(.identifier, descending: true)]
      : ordering.map { Ordering($0.field, descending: !$0.isDescending) }
    return query
  }

  /// Joins entities of another type: one row for each pair in which the fields are equal.
  ///
  /// ```swift
  /// let query = Query("customers")
  ///   .join("orders", on: Field("customer_id"), equals: .identifier)
  ///   .where(Field.of("orders", Field("hat_id")) == .reference("hat-5"))
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type joined.
  ///   - field: a field of it.
  ///   - other: a field of the query's type, or ``Field/of(_:_:)`` a type joined before.
  ///
  /// Each type can be joined once: twice is `invalidQuery` when the query runs. The query's own type
  /// can be, too: fields ``Field/of(_:_:)`` it are then those of the entities joined, and SQL of one's
  /// own calls these `varve_joined`.
  public func join(_ type: EntityType, on field: Field, equals other: Field) -> Query {
    // A decimal number equals what says the same number, in whatever form.
    guard field.isDecimal || other.isDecimal else {
      return joined(.entities(type, on: field, equals: other))
    }
    return joined(.entities(type, on: .decimal(field.stored), equals: .decimal(other.stored)))
  }

  /// Joins by SQL, the keyword included, after what is joined already.
  public func join(sql: String, _ values: [Value] = []) -> Query { joined(.sql(sql, values)) }

  private func joined(_ join: Join) -> Query {
    var query = self
    query.joins.append(join)
    return query
  }

  /// Each entity once, however often a join repeats it.
  public var distinct: Query {
    var query = self
    query.isDistinct = true
    return query
  }

  /// Sets the columns of the query's SQL, which replace those set before.
  ///
  /// Entities are fetched whole: to run a query that selects columns throws `invalidQuery`. To fetch
  /// some properties of models, select them from a query of models by key paths.
  public func select(_ selection: Selection) -> Query {
    var query = self
    query.selection = selection
    return query
  }

  /// Begins after the row of which the order's criteria say this: after joins, conditions and
  /// ``distinct``, before the window.
  package func after(_ mark: [Value?]) -> Query {
    var query = self
    query.mark = mark
    return query
  }

  /// The same without a limit and an offset.
  package var withoutWindow: Query {
    var query = self
    (query.limit, query.offset) = (nil, 0)
    return query
  }

  /// Bounds the number fetched; a later call can only lower it.
  ///
  /// A negative number is a programmer error and traps.
  public func limit(_ count: Int) -> Query {
    precondition(count >= 0, "a limit is not negative")
    var query = self
    query.limit = min(limit ?? count, count)
    return query
  }

  /// Passes over the first entities.
  ///
  /// A negative number is a programmer error and traps.
  public func offset(_ count: Int) -> Query {
    precondition(count >= 0, "an offset is not negative")
    var query = self
    query.offset = count
    return query
  }
}

/// A property a query compares again and again.
package struct WantedIndex: Hashable, Sendable {
  package var type: EntityType
  package var key: PropertyKey

  package init(type: EntityType, key: PropertyKey) {
    self.type = type
    self.key = key
  }
}

/// What a query joins.
public enum Join: Hashable, Sendable {
  /// The entities of a type a field of which equals one of the query's type, or of one joined
  /// before.
  case entities(EntityType, on: Field, equals: Field)
  /// What an SQL join says, the keyword included.
  case sql(String, [Value])
}
