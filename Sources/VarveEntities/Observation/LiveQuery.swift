import VarveCore

/// The results of a query as an asynchronous sequence, read again whenever the data they depend on
/// changes. See `observe(_:)`.
///
/// It supports one iteration, which ends when the store is closed.
public struct LiveQuery<Answer: Sendable>: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Answer
  /// The type of the errors.
  public typealias Failure = any Error

  let store: Store
  let changes: ChangeSequence
  /// The types that the result depends on; nil for all.
  let types: @Sendable (Snapshot) async throws -> Set<EntityType>?
  let read: @Sendable (Snapshot) async throws -> Answer

  /// Begins the iteration. The first result is read when it is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(query: self, changes: changes.makeAsyncIterator())
  }

  /// An iteration over the results.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let query: LiveQuery
    fileprivate var changes: ChangeSequence.Iterator
    private var hasBegun = false
    /// The types that the last result depends on.
    private var types: Set<EntityType>?

    fileprivate init(query: LiveQuery, changes: ChangeSequence.Iterator) {
      self.query = query
      self.changes = changes
    }

    /// Returns the next result, or nil once the store is closed.
    ///
    /// - Throws: the errors of the closure; ``VarveError``; `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Answer? {
      if hasBegun {
        guard try await isTouched(isolation: isolation) else { return nil }
      }
      hasBegun = true
      // The result includes everything committed up to here.
      while query.changes.poll() != nil {}
      let (answer, types) = try await query.store.read { [query] state in
        (try await query.read(state), try await query.types(state))
      }
      self.types = types
      return answer
    }

    /// Returns the next result, or nil once the store is closed.
    public mutating func next() async throws -> Answer? { try await next(isolation: #isolation) }

    /// Waits for a change of one of the types. Returns false at the end.
    private mutating func isTouched(isolation: isolated (any Actor)?) async throws -> Bool {
      while let change = try await changes.next(isolation: isolation) {
        guard let types else { return true }
        if !change.types.isDisjoint(with: types) { return true }
      }
      return false
    }
  }
}
