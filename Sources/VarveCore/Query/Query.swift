/// A description of the entities to fetch. It is an immutable value: every step returns a new
/// query.
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
  /// A criterion of an order.
  public struct Ordering: Hashable, Sendable {
    /// The field to sort by. Missing values come first, then values by ``Value/sortRank`` of their
    /// kind.
    public let field: Field
    /// Whether the greatest value comes first.
    public let isDescending: Bool

    /// Creates a criterion.
    public init(_ field: Field, descending: Bool = false) {
      self.field = field
      isDescending = descending
    }
  }

  /// The columns to fetch.
  public enum Selection: Hashable, Sendable {
    /// Whole entities.
    case all
    /// Some fields. It affects `sql` only: Varve itself reads whole entities.
    case fields([Field])
    /// A list of SQL expressions. It affects `sql` only: Varve itself reads whole entities.
    case sql(String)
  }

  /// The type of the entities.
  public let type: EntityType
  /// Further types whose entities are fetched too: the subtypes of ``type``.
  public private(set) var subtypes: [EntityType] = []
  /// The condition that entities must satisfy.
  public private(set) var condition: Condition = .always
  /// The joins, in order.
  public private(set) var joins: [Join] = []
  /// The sort criteria, the first with precedence.
  public private(set) var ordering: [Ordering] = []
  /// The maximum number of rows to fetch.
  public private(set) var limit: Int?
  /// The number of rows to skip.
  public private(set) var offset = 0
  /// Whether an entity is fetched once, however often a join repeats it.
  public private(set) var isDistinct = false
  /// The columns to fetch.
  public private(set) var selection: Selection = .all
  /// The properties of the model, if there is one; any other is `unknownProperty`.
  package var knownKeys: Set<PropertyKey>?
  /// The properties of the joined types' models.
  package var joinedKeys: [EntityType: Set<PropertyKey>] = [:]
  /// The properties that would be slow to search without an index: references that are followed
  /// backwards.
  package var wantedIndexes: [WantedIndex] = []
  /// The tokenizers that the model declares for its searchable properties.
  package var tokenizers: [PropertyKey: SearchTokenizer] = [:]
  /// The values of the sort criteria in the row to begin after, one for each criterion.
  package private(set) var mark: [Value?]?
  /// The error that prevents the query from running, found while it was built.
  package var refusal: VarveError?

  /// Creates a query for all entities of a type.
  public init(_ type: EntityType) { self.type = type }

  /// Returns the query extended to the entities of subtypes.
  public func including(_ subtypes: [EntityType]) -> Query {
    var query = self
    for type in subtypes where type != self.type && !query.subtypes.contains(type) {
      query.subtypes.append(type)
    }
    return query
  }

  /// Returns the query limited to entities that also satisfy a condition.
  public func `where`(_ condition: Condition) -> Query {
    guard condition != .always else { return self }
    var query = self
    query.condition = self.condition == .always ? condition : .and([self.condition, condition])
    return query
  }

  /// Returns the query limited to entities whose properties equal the values, or are missing if the
  /// value is nil. The conditions are in order of the keys. An empty dictionary changes nothing.
  public func `where`(_ values: [PropertyKey: Value?]) -> Query {
    let conditions = values.sorted { $0.key < $1.key }.map { Field($0.key) == $0.value }
    return conditions.reduce(self) { $0.where($1) }
  }

  /// Returns the query limited by an SQL expression, with placeholders for values. The expression
  /// is put in parentheses.
  ///
  /// Types and keys have their names in SQL (`Reading.schema()`). Values are as they are stored:
  /// dates are seconds since 2001, so that an index finds them. `varve_date('2010-01-01')` is a date
  /// in this form, and `varve_date_text(made)` the text of one. The columns of the query's own type
  /// have values of every kind. Columns of other tables have only values of the column's own
  /// kind, as in ``join(sql:_:)``.
  ///
  /// ```swift
  /// let wide = Query("hats").where(sql: "brim_size > ? OR color = ?", [10, "red"])
  /// ```
  public func `where`(sql: String, _ values: [Value] = []) -> Query {
    sql.allSatisfy(\.isWhitespace) ? self : self.where(.sql(sql, values))
  }

  /// Returns the query limited to entities whose properties together contain all words of a
  /// full-text search; see ``Condition/matches(_:_:)``.
  ///
  /// ```swift
  /// let found = try await store.fetch(Query("Note").matching("wool*", in: ["text"], byRelevance: true))
  /// ```
  ///
  /// - Parameters:
  ///   - words: the words.
  ///   - keys: the properties to search.
  ///   - byRelevance: whether the most relevant entities come first; see ``Field/relevance(_:_:)``.
  public func matching(
    _ words: String,
    in keys: [PropertyKey],
    byRelevance: Bool = false
  ) -> Query {
    let fields = keys.map { Field($0) }
    let found = self.where(.matches(words, fields))
    return byRelevance ? found.order(by: .relevance(words, fields), descending: true) : found
  }

  /// Returns the query with a further sort criterion, of lower precedence.
  public func order(by field: Field, descending: Bool = false) -> Query {
    var query = self
    query.ordering.append(Ordering(field, descending: descending))
    return query
  }

  /// Returns the query with a sort criterion of the highest precedence.
  package func order(firstBy field: Field, descending: Bool = false) -> Query {
    var query = self
    query.ordering.insert(Ordering(field, descending: descending), at: 0)
    return query
  }

  /// The query with every sort criterion reversed. Without criteria, the order is by identifier,
  /// descending; new identifiers increase with time.
  public var reversed: Query {
    var query = self
    query.ordering =
      ordering.isEmpty
      ? [Ordering(.identifier, descending: true)]
      : ordering.map { Ordering($0.field, descending: !$0.isDescending) }
    return query
  }

  /// Returns the query joined with the entities of another type: one row for each pair whose fields
  /// are equal.
  ///
  /// ```swift
  /// let query = Query("customers")
  ///   .join("orders", on: Field("customer_id"), equals: .identifier)
  ///   .where(Field.of("orders", Field("hat_id")) == .reference("hat-5"))
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type to join.
  ///   - field: a field of that type.
  ///   - other: a field of the query's type, or of a type joined before: ``Field/of(_:_:)``.
  ///
  /// Each type can be joined once; a query that joins one twice throws `invalidQuery` when it runs.
  /// The query's own type can be joined too. Its fields by ``Field/of(_:_:)`` are then those of the
  /// joined entities, which custom SQL calls `varve_joined`.
  public func join(_ type: EntityType, on field: Field, equals other: Field) -> Query {
    // A decimal number equals any form of the same number, and a folded text any case of it.
    let pair = FieldPair(field, other)
    return joined(.entities(type, on: pair.left, equals: pair.right))
  }

  /// Returns the query with an SQL join, including its keyword, after the existing joins.
  ///
  /// A column of a joined table has only values of the kind that it holds. Others are null; a join
  /// by fields and SQL of one's own (`rows(sql:)`) see them.
  public func join(sql: String, _ values: [Value] = []) -> Query { joined(.sql(sql, values)) }

  private func joined(_ join: Join) -> Query {
    var query = self
    query.joins.append(join)
    return query
  }

  /// The query that fetches each entity once, however often a join repeats it.
  public var distinct: Query {
    var query = self
    query.isDistinct = true
    return query
  }

  /// Returns the query with other columns.
  public func select(_ selection: Selection) -> Query {
    var query = self
    query.selection = selection
    return query
  }

  /// Returns the query that begins after the row whose sort criteria have the given values. The
  /// mark applies after joins, conditions and ``distinct``, and before limit and offset.
  package func after(_ mark: [Value?]) -> Query {
    var query = self
    query.mark = mark
    return query
  }

  /// The query without a limit and an offset.
  package var withoutWindow: Query {
    var query = self
    (query.limit, query.offset) = (nil, 0)
    return query
  }

  /// Returns the query with a limit to the number of rows. A later call can only lower it.
  ///
  /// A negative number is a programmer error and traps.
  public func limit(_ count: Int) -> Query {
    precondition(count >= 0, "a limit must not be negative")
    var query = self
    query.limit = min(limit ?? count, count)
    return query
  }

  /// Returns the query that skips the first rows.
  ///
  /// A negative number is a programmer error and traps.
  public func offset(_ count: Int) -> Query {
    precondition(count >= 0, "an offset must not be negative")
    var query = self
    query.offset = count
    return query
  }
}

/// A property that a query compares many times.
package struct WantedIndex: Hashable, Sendable {
  package var type: EntityType
  /// The properties, the first with precedence.
  package var keys: [PropertyKey]

  package init(type: EntityType, keys: [PropertyKey]) {
    self.type = type
    self.keys = keys
  }

  package init(type: EntityType, key: PropertyKey) { self.init(type: type, keys: [key]) }
}

/// A join of a query.
public enum Join: Hashable, Sendable {
  /// The entities of a type, one of whose fields equals a field of the query's type or of a type
  /// joined before.
  case entities(EntityType, on: Field, equals: Field)
  /// An SQL join, including its keyword.
  case sql(String, [Value])
}
