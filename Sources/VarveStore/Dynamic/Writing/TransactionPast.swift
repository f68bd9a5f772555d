package import VarveCore

/// The state at the time a transaction writes for, where something stored is later: what a write that
/// shall mean "then" has to be compared with.
///
/// What is written to it holds from that time until the next thing that is stored of it; what is
/// stored later stays as it is.
///
/// `@unchecked Sendable`: the reader is used inside the transaction's operations only, which take
/// turns.
package final class TransactionPast: Reading, @unchecked Sendable {
  private let transaction: WriteTransaction
  fileprivate let reader: any BackendReader
  /// The time.
  package let time: HybridTime

  fileprivate init(
    _ transaction: WriteTransaction,
    _ reader: any BackendReader,
    at time: HybridTime
  ) {
    self.transaction = transaction
    self.reader = reader
    self.time = time
  }

  package func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try await transaction.perform { _ in
      try await body(StateReader(backend: reader, classes: transaction.classes))
    }
  }
}

extension WriteTransaction {
  /// The state at the time values carry unless told otherwise; nil where nothing stored is later, so
  /// that it is the present one. To be asked before anything is written.
  ///
  /// - Complexity: O(cells of all commits since).
  package func past() async throws -> TransactionPast? {
    let found = try await perform { writer -> (any BackendReader, HybridTime)? in
      guard let time = writer.defaultTime else { return nil }
      return try await writer.writer.past(time).map { ($0, time) }
    }
    return found.map { TransactionPast(self, $0.0, at: $0.1) }
  }

  /// A number above those of all entities there are; see `StoredEntity.number`.
  package func nextNumber() async throws -> Int64? {
    try await perform { $0.writer.nextNumber }
  }

  /// Makes a to-many property hold targets from a past time on, until the next thing stored of it.
  ///
  /// - Throws: as ``setCollection(_:_:to:as:at:)``.
  package func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind,
    in past: TransactionPast
  ) async throws -> Bool {
    try await perform { writer in
      try await writer.setCollection(id, key, to: targets, as: kind, at: past.time)
    }
  }

  /// Has an entity, which was created later, live from a past time on.
  ///
  /// - Throws: ``VarveError``: `notFound` where it is not live; `invalidArgument` where it was
  ///   erased before, and created anew later.
  package func begin(_ id: EntityID, as type: EntityType, in past: TransactionPast) async throws {
    try await perform { try await $0.begin(id, as: type, at: past.time) }
  }

  /// The time of the last thing stored of a to-many property or of any other; nil for nothing.
  package func lastTime(of id: EntityID, _ key: PropertyKey) async throws -> HybridTime? {
    try await perform { try await $0.times(of: id, key).max() }
  }

  /// The time of the last change of an entity's life, or of its values.
  package func lastTime(of id: EntityID) async throws -> HybridTime? {
    try await perform { writer in
      let modified = try await writer.writer.entity(id)?.modified
      let life = try await writer.writer.currentTime(of: id, key: nil)
      return [modified, life].compactMap(\.self).max()
    }
  }
}
