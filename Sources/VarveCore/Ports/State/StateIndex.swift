/// The state that a log describes. It serves reads and makes local commits.
///
/// It follows from the log alone and can be derived again at any time. The log may be in the same
/// file, so that a write is one pass and one transaction, or elsewhere. It does not contain the
/// rules for local writes, such as which entities may be related and what an erasure includes: the
/// store implements those with these calls.
///
/// Contract:
/// - **Atomic.** A commit is applied completely or not at all. Readers see all of it or none.
/// - **Exclusive.** One writer at a time, across all processes. After the request's deadline it
///   throws `busy`.
/// - **Traceless.** A body that throws leaves no commit, uses no number and moves no clock.
/// - **Isolated.** A reader sees one state from the beginning of its body to its end. It waits for no
///   writer, and no writer waits for it.
package protocol StateIndex: Sendable {
  /// Reads a state.
  func read<Result>(
    at moment: Moment,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result

  /// Reads the lives, relations and elements at a frontier, even one before a horizon. Of
  /// properties, only what was not folded is there.
  func readLives<Result>(
    at frontier: Frontier,
    _ body: (any BackendReader) async throws -> Result
  ) async throws -> Result

  /// Reads a live entity of one of some types in the present state, in the shape of a model: the
  /// shortest read. Returns nil without calling the body if there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// Writes one commit with the cells the body applies. Without cells there is no commit.
  func write<Result>(
    _ request: WriteRequest,
    _ body: (any BackendWriter) async throws -> Result
  ) async throws -> (result: Result, receipt: WriteReceipt?)

  /// Maintains an index on properties of a type from now on, the first with precedence, whether or
  /// not any entity has them. It is local: it makes no commit and changes no result. Repeated calls
  /// do nothing.
  func addIndex(on keys: [PropertyKey], of type: EntityType) async throws

  /// Drops an index. Does nothing if there is none.
  func removeIndex(on keys: [PropertyKey], of type: EntityType) async throws

  /// Maintains a full-text search of some properties of a type from now on. It is local, as an
  /// index is. Another tokenizer than a property had takes its place.
  func addSearch(on wishes: [SearchWish], of type: EntityType) async throws

  /// Ends the full-text search of properties. Does nothing if there is none.
  func removeSearch(on keys: [PropertyKey], of type: EntityType) async throws

  /// The sizes of the stored data; zeros and no tables if it is in the memory of the process.
  func storage() async throws -> StorageSizes

  /// Verifies the log and everything derived from it.
  func check(_ progress: @Sendable (CheckProgress) -> Void) async throws -> CheckReport

  /// Drops everything derived from the log and derives it again.
  func rebuild(_ progress: @Sendable (RebuildProgress) -> Void) async throws
}

extension StateIndex {
  package func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    try await read(at: .now) { try await $0.row(id, of: types, shape, body) }
  }

  /// Maintains an index on one property.
  package func addIndex(on key: PropertyKey, of type: EntityType) async throws {
    try await addIndex(on: [key], of: type)
  }

  package func addSearch(on wishes: [SearchWish], of type: EntityType) async throws {
    throw VarveError(.unsupported, "this backend has no full-text search")
  }

  package func removeSearch(on keys: [PropertyKey], of type: EntityType) async throws {}

  /// Derives everything again, without reporting progress.
  package func rebuild() async throws { try await rebuild { _ in } }

  /// The conflicts of the present.
  package func conflicts() async throws -> [Conflict] {
    try await read(at: .now) { try await $0.conflicts() }
  }
}
