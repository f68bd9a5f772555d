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

  /// The type of the entities.
  public let type: EntityType
  /// The condition they satisfy.
  public private(set) var condition: Condition = .always
  /// The criteria, the first with precedence.
  public private(set) var ordering: [Ordering] = []
  /// The most to fetch.
  public private(set) var limit: Int?
  /// How many to pass over first.
  public private(set) var offset = 0

  /// All entities of a type.
  public init(_ type: EntityType) { self.type = type }

  /// Narrows: entities must satisfy this as well.
  public func `where`(_ condition: Condition) -> Query {
    var query = self
    query.condition = self.condition == .always ? condition : .and([self.condition, condition])
    return query
  }

  /// Adds a criterion after those there are.
  public func order(by field: Field, descending: Bool = false) -> Query {
    var query = self
    query.ordering.append(Ordering(field, descending: descending))
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
