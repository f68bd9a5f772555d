public import Foundation
public import VarveCore

extension Store: Reading {
  /// Reads the present state. Inside a write of this store it throws `nestedTransaction`, as every call
  /// of the store does: the transaction reads what the write has written.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try refuseInsideOwnWrite("a read")
    return try await backend.read(at: .now) {
      try await body(StateReader(reader: $0, rules: rules))
    }
  }

  /// Returns a live entity, or nil if there is none with the identifier.
  ///
  /// Equivalent to ``Reading/entity(_:)``, but without its closure, because this is the most
  /// frequent read.
  public func entity(_ id: EntityID) async throws -> StoredEntity? {
    try refuseInsideOwnWrite("entity")
    return try await backend.read(at: .now) { try await $0.entity(id) }
  }

  /// Streams the entities that a query matches. See ``Reading/stream(_:pageSize:)``.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      try refuseInsideOwnWrite("stream")
      pages.follow(rules)
      try await prepareRelated(query)
      try await backend.read(at: .now) { reader in
        try await reader.fetch(query, pageSize: size) { await pages.offer($0) }
      }
    }
  }

  /// Performs several reads of one state, isolated from concurrent commits.
  ///
  /// ```swift
  /// let (hats, count) = try await store.read { snapshot in
  ///   (try await snapshot.fetch(Query("Hat").limit(10)), try await snapshot.count(Query("Hat")))
  /// }
  /// ```
  ///
  /// - Parameter body: the reads. The snapshot is valid until it returns; later use throws
  ///   `transactionEnded`.
  /// - Throws: the errors of the body, or ``VarveError``.
  public func read<Result>(
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    try refuseInsideOwnWrite("read")
    return try await backend.read(at: .now) { try await Snapshot.with($0, rules, body) }
  }

  /// Returns the state at a date, by the times that values carry (R6).
  ///
  /// The state changes if a commit with an earlier time arrives later; ``asOf(_:)-(Frontier)`` is
  /// repeatable.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange`.
  /// - Complexity: O(1). Reading an entity is O(its own history and its owners'), and a first page
  ///   without a condition O(its entities). Other queries are O(cells since) at first, and
  ///   O(entities that differ) at another date; then they cost as much as those of the present.
  public func asOf(_ date: Date) throws -> PastState {
    PastState(store: self, moment: try .at(date))
  }

  /// Returns the state at a moment: the present, a time, or a set of commits (R6).
  public func asOf(_ moment: Moment) -> PastState { PastState(store: self, moment: moment) }

  /// Returns the state of a set of commits, whatever arrives later (R6).
  ///
  /// - Complexity: as ``asOf(_:)-(Date)``.
  public func asOf(_ frontier: Frontier) -> PastState {
    PastState(store: self, moment: .frontier(frontier))
  }
}

extension Moment {
  /// Returns the moment of a date, as ``Store/asOf(_:)-(Date)`` reads it.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange`.
  public static func at(_ date: Date) throws -> Moment {
    .time(try HybridTime(instant: date).lastOfDate)
  }
}
