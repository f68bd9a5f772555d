import VarveCore

/// Where a page ended, and the next begins.
public struct PageMark: Hashable, Sendable {
  /// What the last row has of the order's criteria, its identifier at the end.
  let values: [Value?]
  /// The query of the page.
  let query: Query
}

/// Some models of a query, and where the next ones begin.
public struct Page<Model: Persistable>: Sendable {
  /// The models, in the query's order.
  public let models: [Model]
  /// Where the next page begins; nil after the last.
  public let next: PageMark?
}

extension Reading {
  /// Some models of a query after a mark, by the values of its order rather than by a number of rows
  /// to pass over: what is inserted or erased meanwhile moves nothing.
  ///
  /// Ties of the order are broken by the identifier; without an order, that alone is it. Rows that
  /// cannot be read are left out and logged, and others take their place.
  ///
  /// ```swift
  /// var page = try await store.page(of: Hat.all.order(by: \.color), size: 100)
  /// while let next = page.next {
  ///   page = try await store.page(of: Hat.all.order(by: \.color), size: 100, after: next)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: what to fetch; its own limit and offset must not be set.
  ///   - size: how many rows make a page; at least 1.
  ///   - mark: where to begin; nil for the first page.
  /// - Throws: ``VarveError``: `invalidQuery` for a query with a limit or an offset, or with a join that
  ///   may repeat rows and is not distinct; `invalidArgument`
  ///   for a size below 1 or a mark of another query, be it only by its order.
  /// - Complexity: O(log entities + size) with an index on the first criterion; O(rows) without.
  public func page<Model>(
    of query: TypedQuery<Model>,
    size: Int,
    after mark: PageMark? = nil
  ) async throws -> Page<Model> {
    try query.erased.requirePages(of: size, after: mark)
    try await prepare(query.erased)
    return try await reading { try await $0.page(of: query, size: size, after: mark) }
  }
}

extension StateReader {
  fileprivate func page<Model>(
    of query: TypedQuery<Model>,
    size: Int,
    after mark: PageMark?
  ) async throws -> Page<Model> {
    // One more says whether there is another page.
    let wanted = size == .max ? size : size + 1
    let ordered = query.erased.order(by: .identifier)
    var models: [Model] = []
    var entities: [EntityID: StoredEntity] = [:]
    var rest = mark.map { ordered.after($0.values) } ?? ordered
    while models.count < wanted {
      let missing = wanted - models.count
      let rows = try await backend.fetch(rest.limit(missing))
      let unread = EntityRows(EntityCursor(Model.schema.shape, rows), type: Model.schema.type)
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
      next = PageMark(values: try await values(of: ordered, in: last), query: query.erased)
    }
    for inclusion in query.inclusions { try await inclusion.load(&models, self) }
    return Page(models: models, next: next)
  }

  /// What the criteria of an order say of the row of an entity.
  private func values(of query: Query, in entity: StoredEntity) async throws -> [Value?] {
    let fields = query.ordering.map(\.field)
    guard !fields.allSatisfy(query.isOwn) else {
      return fields.map { entity.value(of: $0.own) }
    }
    let row = query.where(.compare(.identifier, .equal, .string(entity.id.text)))
    return try await backend.values(of: fields, in: row.limit(1)).first ?? fields.map { _ in nil }
  }
}

extension Field {
  /// The field without the type it is one of.
  fileprivate var own: Field {
    switch self {
    case .joined(_, let inner): inner.own
    case .decimal(let inner): .decimal(inner.own)
    default: self
    }
  }
}

extension Query {
  /// Whether it can be paged, and go on after a mark.
  func requirePages(of size: Int, after mark: PageMark?) throws {
    guard limit == nil, offset == 0 else {
      throw VarveError(
        .invalidQuery,
        "a query with a limit or an offset cannot be paged",
        at: "query of \"\(type)\"",
        remedy: "Leave them out; the size of the page says how many."
      )
    }
    guard isDistinct || !mayRepeat else {
      throw VarveError(
        .invalidQuery,
        "the rows of a join that repeats them cannot be paged",
        at: "query of \"\(type)\"",
        remedy: "Page the distinct ones."
      )
    }
    guard size >= 1, mark == nil || mark?.query == self else {
      throw VarveError(
        .invalidArgument,
        size < 1 ? "a page has \(size) rows" : "the mark is one of another query",
        at: "query of \"\(type)\"",
        remedy: "Ask for at least one row, by the query whose page gave the mark."
      )
    }
  }
}
