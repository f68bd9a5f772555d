package import VarveCore

/// The state at the time of a dated transaction, if something later is stored. A write that
/// describes that time is compared with this state.
///
/// A value written for that time holds until the next stored one, and later values do not change.
///
/// `@unchecked Sendable`: the reader is used inside the transaction's operations only, which take
/// turns.
package final class TransactionPast: Reading, @unchecked Sendable {
  let transaction: WriteTransaction
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
      try await body(StateReader(reader: reader, rules: transaction.rules))
    }
  }
}

extension WriteTransaction {
  /// Returns the state at the transaction's time, or nil if nothing later is stored, so that it is
  /// the present state. Must be called before anything is written.
  ///
  /// - Complexity: O(cells of all commits since).
  package func past() async throws -> TransactionPast? {
    let found = try await perform { writer -> (any BackendReader, HybridTime)? in
      guard let time = writer.defaultTime else { return nil }
      // Who reads that date sees what was written within its millisecond.
      return try await writer.commit.past(time.lastOfDate).map { ($0, time) }
    }
    return found.map { TransactionPast(self, $0.0, at: $0.1) }
  }

  /// Returns a number above those of all entities; see `StoredEntity.number`.
  package func nextNumber() async throws -> Int64? {
    try await perform { $0.commit.nextNumber }
  }

  /// Gives a to-many property the targets from a past time until its next stored change.
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

  /// Makes an entity that was created later live from a past time. Returns its values of that time
  /// if some were written for times before its creation, otherwise nil.
  ///
  /// - Throws: ``VarveError``: `notFound` if it is not live; `invalidArgument` if it was erased
  ///   before that time and created anew after it.
  package func begin(
    _ id: EntityID,
    as type: EntityType,
    in past: TransactionPast
  ) async throws -> StoredEntity? {
    let hasValues = try await perform { try await $0.begin(id, as: type, at: past.time) }
    return hasValues ? try await past.entity(id) : nil
  }

  /// Returns the latest time stored for a property or its elements, or nil if there is none.
  package func lastTime(of id: EntityID, _ key: PropertyKey) async throws -> HybridTime? {
    try await perform { try await $0.times(of: id, key).max() }
  }

  /// Returns the time of the last change of an entity's life or of its values.
  package func lastTime(of id: EntityID) async throws -> HybridTime? {
    try await perform { writer in
      let modified = try await writer.commit.entity(id)?.modified
      let life = try await writer.commit.currentTime(of: id, key: nil)
      return [modified, life].compactMap(\.self).max()
    }
  }
}
