import VarveCore

/// Answers that are read anew whenever what they depend on changes. See ``Store/observe(_:)``.
///
/// It is for one iteration. It ends when the store is closed.
public struct LiveQuery<Answer: Sendable>: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = Answer
  /// What it throws.
  public typealias Failure = any Error

  let store: Store
  let changes: ChangeSequence
  /// The types the answer depends on, found in the state that is read; nil for all.
  let types: @Sendable (Snapshot) async throws -> Set<EntityType>?
  let read: @Sendable (Snapshot) async throws -> Answer

  /// Begins; the first answer is read when it is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(query: self, changes: changes.makeAsyncIterator())
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let query: LiveQuery
    fileprivate var changes: ChangeSequence.Iterator
    private var hasBegun = false
    /// The types the last answer depends on.
    private var types: Set<EntityType>?

    fileprivate init(query: LiveQuery, changes: ChangeSequence.Iterator) {
      self.query = query
      self.changes = changes
    }

    /// The next answer; nil once the store is closed.
    ///
    /// - Throws: what the closure throws; ``VarveError``; `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer? {
      if hasBegun {
        guard try await isTouched(isolation: isolation) else { return nil }
      }
      hasBegun = true
      // What was committed up to here is in the answer.
      while query.changes.poll() != nil {}
      let (answer, types) = try await query.store.read { [query] state in
        (try await query.read(state), try await query.types(state))
      }
      self.types = types
      return answer
    }

    /// The next answer; nil once the store is closed.
    public mutating func next() async throws -> Answer? { try await next(isolation: #isolation) }

    /// Waits for a change of one of the types; false at the end.
    private mutating func isTouched(isolation: isolated (any Actor)?) async throws -> Bool {
      while let change = try await changes.next(isolation: isolation) {
        guard let types else { return true }
        if !change.types.isDisjoint(with: types) { return true }
      }
      return false
    }
  }
}
