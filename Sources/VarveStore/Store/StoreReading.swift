public import Foundation
public import VarveCore

extension Store: Reading {
  /// Reads the present state; inside a write of this store, the state with what was written so far.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    if let transaction = TransactionScope.transaction(of: self) {
      return try await transaction.reading(body)
    }
    return try await backend.read(at: .now) {
      try await body(StateReader(backend: $0, classes: classes))
    }
  }

  /// A live entity, or nil where there is none of that identifier.
  ///
  /// The same as ``Reading/entity(_:)``, without the closure in between: it is the shortest read,
  /// and the most frequent.
  public func entity(_ id: EntityID) async throws -> Entity? {
    if let transaction = TransactionScope.transaction(of: self) {
      return try await transaction.entity(id)
    }
    return try await backend.read(at: .now) { try await $0.entity(id) }
  }

  /// The entities a query asks for, one after another. See ``Reading/stream(_:pageSize:)``.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    EntityStream(pageSize: pageSize) { [self] size, pages in
      if let transaction = TransactionScope.transaction(of: self) {
        return try await transaction.offer(query, pageSize: size, to: pages)
      }
      try await backend.read(at: .now) { reader in
        try await reader.fetch(query, pageSize: size) { await pages.offer($0) }
      }
    }
  }

  /// Several reads of one state: what others commit meanwhile is not seen.
  ///
  /// ```swift
  /// let (hats, count) = try await store.read { snapshot in
  ///   (try await snapshot.fetch(Query("Hat").limit(10)), try await snapshot.count(Query("Hat")))
  /// }
  /// ```
  ///
  /// - Parameter body: what to read. The snapshot ends with it: later use throws
  ///   `transactionEnded`.
  /// - Throws: what the body throws, or ``VarveError``.
  public func read<Result>(
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    if let transaction = TransactionScope.transaction(of: self) {
      return try await body(Snapshot(transaction))
    }
    return try await backend.read(at: .now) { try await Snapshot.with($0, classes, body) }
  }

  /// The state at a time: what held then by the times the values carry (R6).
  ///
  /// A commit that arrives later and speaks of that time changes the answer;
  /// ``asOf(_:)-(Frontier)`` is repeatable.
  ///
  /// - Throws: ``VarveError`` with code `timeOutOfRange`.
  /// - Complexity: O(1); the first read of the state O(entities changed since × log cells), later ones as
  ///   in the present, until something is written.
  public func asOf(_ date: Date) throws -> View {
    View(store: self, moment: .time(try HybridTime(instant: date).lastOfDate))
  }

  /// The state at a moment: the present, a time, or what a set of commits says (R6).
  public func asOf(moment: Moment) -> View { View(store: self, moment: moment) }

  /// The state a set of commits says, whatever arrives later (R6).
  ///
  /// - Complexity: as ``asOf(_:)-(Date)``.
  public func asOf(_ frontier: Frontier) -> View {
    View(store: self, moment: .frontier(frontier))
  }
}
