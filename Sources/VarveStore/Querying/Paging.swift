import VarveCore

/// Where a page ended, and the next begins.
public struct PageMark: Hashable, Sendable {
  /// What the last row has of the order's criteria.
  let values: [Value?]
  let id: EntityID
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
  /// Ties of the order are broken by the identifier; without an order, that alone is it.
  ///
  /// ```swift
  /// var page = try await store.page(of: Hat.all.order(\.color), size: 100)
  /// while let next = page.next {
  ///   page = try await store.page(of: Hat.all.order(\.color), size: 100, after: next)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: what to fetch; its own limit and offset must not be set.
  ///   - size: how many rows make a page; at least 1.
  ///   - mark: where to begin; nil for the first page.
  /// - Throws: ``VarveError``: `invalidQuery` for a query with a limit or an offset, or with a join that
  ///   may repeat rows and is not distinct; `invalidArgument`
  ///   for a size below 1 or a mark of another order.
  /// - Complexity: O(log entities + size) with an index on the first criterion; O(rows) without.
  public func page<Model>(
    of query: TypedQuery<Model>,
    size: Int,
    after mark: PageMark? = nil
  ) async throws -> Page<Model> {
    let paged = try query.erased.paged(size: size, after: mark)
    return try await reading { state in
      let rows = try await state.backend.fetch(paged.limit(size + 1))
      let cursor = EntityCursor(Model.schema.shape, Array(rows.prefix(size)))
      let unread = EntityRows(cursor, type: Model.schema.type)
      var models = try Model.readAll(unread)
      UnreadableLog.note(unread.unreadable)
      for inclusion in query.inclusions { try await inclusion.load(&models, state) }
      guard rows.count > size, let last = rows.prefix(size).last else {
        return Page(models: models, next: nil)
      }
      let values = query.erased.ordering.map { last.value(of: $0.field) }
      return Page(models: models, next: PageMark(values: values, id: last.id))
    }
  }
}

extension Query {
  /// The query from a mark on, in an order without ties.
  func paged(size: Int, after mark: PageMark?) throws -> Query {
    guard limit == nil, offset == 0 else {
      throw VarveError(
        .invalidQuery,
        "a query with a limit or an offset cannot be paged",
        at: "query of \"\(type)\"",
        remedy: "Leave them out; the size of the page says how many."
      )
    }
    guard isDistinct || joins.allSatisfy(\.isToOne) else {
      throw VarveError(
        .invalidQuery,
        "the rows of a join that repeats them cannot be paged",
        at: "query of \"\(type)\"",
        remedy: "Page the distinct ones."
      )
    }
    guard size >= 1, mark == nil || mark?.values.count == ordering.count else {
      throw VarveError(
        .invalidArgument,
        size < 1 ? "a page has \(size) rows" : "the mark is one of another order",
        at: "query of \"\(type)\"",
        remedy: "Ask for at least one row, by the query whose page gave the mark."
      )
    }
    let query = order(by: .identifier)
    guard let mark else { return query }
    let values = mark.values + [.string(mark.id.text)]
    var ties: [Condition] = []
    var after: [Condition] = []
    for (criterion, value) in zip(query.ordering, values) {
      let beyond = Condition.sorts(
        criterion.field,
        criterion.isDescending ? .less : .greater,
        value
      )
      after.append(.and(ties + [beyond]))
      ties.append(.sorts(criterion.field, .equal, value))
    }
    return query.where(.or(after))
  }
}

extension Join {
  /// Whether each row has one match at most.
  fileprivate var isToOne: Bool {
    if case .entities(_, on: .identifier, _) = self { true } else { false }
  }
}
