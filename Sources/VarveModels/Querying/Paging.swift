import VarveCore
public import VarveEntities

/// Some models of a query, and the mark for the next ones.
public struct Page<Model: Persistable>: Sendable {
  /// The models, in the query's order.
  public let models: [Model]
  /// The mark after which the next page begins, or nil after the last page.
  public let next: PageMark?
}

extension Reading {
  /// Returns the next models of a query after a mark.
  ///
  /// The mark holds values of the sort criteria, not a number of rows. So the pages do not shift if
  /// entities are created or erased between two calls.
  ///
  /// Ties are broken by the identifier, which is the only criterion if there is no order. Rows that
  /// cannot be read are omitted and logged, and replaced by others.
  ///
  /// ```swift
  /// var page = try await store.page(of: Hat.all.order(by: \.color), size: 100)
  /// while let next = page.next {
  ///   page = try await store.page(of: Hat.all.order(by: \.color), size: 100, after: next)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: the query, without a limit and an offset.
  ///   - size: the number of rows in a page; at least 1.
  ///   - mark: the mark to begin after; nil for the first page.
  /// - Throws: ``VarveError``: `invalidQuery` for a query with a limit or an offset, or one that is
  ///   not distinct and has a join that may repeat rows; `invalidArgument` for a size below 1 or a
  ///   mark of another query, even one that differs only in its order.
  /// - Complexity: O(log entities + size) with an index on the first criterion; O(rows) without.
  public func page<Model>(
    of query: TypedQuery<Model>,
    size: Int,
    after mark: PageMark? = nil
  ) async throws -> Page<Model> {
    try query.untyped.requirePages(of: size, after: mark)
    try await prepare(query.untyped)
    return try await reading { try await $0.page(of: query, size: size, after: mark) }
  }
}

extension StateReader {
  fileprivate func page<Model>(
    of query: TypedQuery<Model>,
    size: Int,
    after mark: PageMark?
  ) async throws -> Page<Model> {
    // One more row shows whether there is another page.
    let wanted = size == .max ? size : size + 1
    let ordered = query.untyped.order(by: .identifier)
    var models: [Model] = []
    var entities: [EntityID: StoredEntity] = [:]
    var rest = mark.map { ordered.after($0.values) } ?? ordered
    while models.count < wanted {
      let missing = wanted - models.count
      let rows = try await reader.fetch(rest.limit(missing))
      let unread = EntityRows(
        EntityCursor(Model.schema.shape, rows),
        type: Model.schema.type,
        policy: rules.unreadableRows
      )
      models += try Model.readAll(unread)
      UnreadableLog.note(unread.unreadable)
      for row in rows { entities[row.id] = row }
      guard rows.count == missing, models.count < wanted, let last = rows.last else { break }
      rest = ordered.after(try await values(of: ordered, in: last))
    }
    let isLast = models.count <= size
    models = Array(models.prefix(size))
    var next: PageMark?
    if !isLast, let id = models.last?.id.entityID, let last = entities[id] {
      next = PageMark(values: try await values(of: ordered, in: last), query: query.untyped)
    }
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    return Page(models: models, next: next)
  }

  /// Returns the values of the sort criteria in the row of an entity.
  private func values(of query: Query, in entity: StoredEntity) async throws -> [Value?] {
    let fields = query.ordering.map(\.field)
    guard !fields.allSatisfy({ query.isOwn($0) && $0.isOfEntity }) else {
      return fields.map { entity.value(of: $0.own) }
    }
    let row = query.where(.compare(.identifier, .equal, .string(entity.id.text)))
    return try await reader.values(of: fields, in: row.limit(1)).first ?? fields.map { _ in nil }
  }
}

extension Field {
  /// Whether an entity alone has the field's value.
  fileprivate var isOfEntity: Bool {
    if case .relevance = stored { false } else { related.isEmpty }
  }

  /// The field without the joined type it belongs to.
  fileprivate var own: Field {
    switch self {
    case .joined(_, let inner): inner.own
    case .decimal(let inner): .decimal(inner.own)
    case .folded(let inner): .folded(inner.own)
    case .inside(let inner, let path): .inside(inner.own, path)
    // Not of an entity alone.
    case .ofRelated, .aggregate, .relevance: self
    default: self
    }
  }
}

extension Query {
  /// Throws if the query cannot be paged, or cannot continue after a mark.
  func requirePages(of size: Int, after mark: PageMark?) throws {
    guard limit == nil, offset == 0 else {
      throw VarveError(
        .invalidQuery,
        "a query with a limit or an offset cannot be paged",
        at: "query of \"\(type)\"",
        remedy: "Omit them; the size of the page limits the number of rows."
      )
    }
    guard isDistinct || !mayRepeat else {
      throw VarveError(
        .invalidQuery,
        "a query cannot be paged if a join repeats its rows",
        at: "query of \"\(type)\"",
        remedy: "Make the query distinct."
      )
    }
    guard size >= 1, mark.map({ $0.query == fingerprint }) ?? true else {
      throw VarveError(
        .invalidArgument,
        size < 1 ? "a page has \(size) rows" : "the mark belongs to another query",
        at: "query of \"\(type)\"",
        remedy: "Use a size of at least 1, and the query whose page returned the mark."
      )
    }
  }
}
