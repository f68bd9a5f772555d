import Foundation
import VarveCore
import VarveJSON
public import VarveStore

/// Ordinary tables in a PostgreSQL schema that show a space: one for each type, with a column for
/// each property, one of relations and one of the history.
///
/// One transaction writes the changes since the last update together with the position that they
/// reach. So a repeated update writes nothing twice.
public struct PostgresProjection: Sendable {
  /// What an update did.
  public struct Report: Sendable, Hashable {
    /// The number of entities that were written or removed.
    public var entityCount = 0
    /// Whether everything was written anew.
    public var isRebuilt = false
  }

  private let pool: PostgresPool
  private let schema: String

  /// The number of entities that are written at a time.
  private static let batchCount = 500
  private static let patience: Duration = .seconds(600)

  /// Names a schema of a database. It is created by the first update.
  ///
  /// - Throws: `VarveError` with code `invalidArgument` if the URL names no database, or
  ///   the schema is one of PostgreSQL's or of a home.
  public init(_ url: String, schema: String) throws {
    guard !schema.isEmpty, !schema.hasPrefix("pg_"), !["varve", "public"].contains(schema) else {
      throw VarveError(
        .invalidArgument,
        "the schema \"\(schema)\" cannot be used",
        at: "schema \(schema)",
        remedy: "Use a schema that has nothing else, such as the name of the space."
      )
    }
    pool = PostgresPool(try PostgresAddress(url), limit: 1)
    self.schema = Projected.name(schema)
  }

  /// Closes the connection.
  public func close() async { await pool.close() }

  /// Brings the tables up to the present state of a store.
  ///
  /// - Throws: `VarveError`: `inputOutput` if the database cannot be reached, `busy` if another
  ///   process updates the tables.
  /// - Complexity: O(what changed).
  public func update(from store: Store) async throws -> Report {
    let deadline = ContinuousClock.now + Self.patience
    return try await reportingFailures {
      try await pool.use(until: deadline) { connection in
        do {
          return try await update(connection, store)
        } catch {
          _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
          throw error
        }
      }
    }
  }

  private func update(_ connection: PostgresConnection, _ store: Store) async throws -> Report {
    while true {
      let frontier = try await store.frontier()
      if let report = try await update(connection, store, frontier) { return report }
      // Something was committed meanwhile: the state at the beginning is read as a past one.
      _ = try await connection.run([HomeStatement.rollback()])
      do {
        return try await update(connection, store, frontier, isPast: true) ?? Report()
      } catch let error as VarveError where error.code == .compacted {
        // It was a compaction, and that state is gone.
        _ = try await connection.run([HomeStatement.rollback()])
      }
    }
  }

  /// Returns nil if the store has changed meanwhile.
  private func update(
    _ connection: PostgresConnection,
    _ store: Store,
    _ frontier: Frontier,
    isPast: Bool = false
  ) async throws -> Report? {
    let place = ProjectionPlace(
      space: try await store.sharedLog().space().text,
      frontier: frontier,
      mark: try await store.stateMark()
    )
    var writer = try await ProjectionWriter(connection, schema)
    let known = try await writer.place()
    guard known != place else {
      _ = try await connection.run([HomeStatement.rollback()])
      return Report()
    }
    let touched = try await continuation(of: known, to: place, in: store)
    let isContinued = touched != nil
    if !isContinued { try await writer.clear() }
    var ids = touched ?? []
    if !isContinued { ids = try await store.entitiesTouched(since: .empty) ?? [] }
    var report = Report(isRebuilt: !isContinued)
    func write(_ snapshot: Snapshot) async throws {
      for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
        let batch = Array(ids[start..<min(start + Self.batchCount, ids.count)])
        if isContinued { try await writer.remove(batch) }
        try await writer.write(batch, from: snapshot)
        report.entityCount += batch.count
      }
    }
    if isPast {
      try await store.asOf(frontier).read(write)
    } else {
      try await store.read(write)
      let (after, mark) = (try await store.frontier(), try await store.stateMark())
      guard after == frontier, mark == place.mark else { return nil }
    }
    try await writer.finish(at: place)
    return report
  }

  /// Returns the entities to write so that the tables continue from a place; nil if everything is to be
  /// written anew.
  private func continuation(
    of known: ProjectionPlace?,
    to place: ProjectionPlace,
    in store: Store
  ) async throws -> [EntityID]? {
    guard let known, known.space == place.space, known.mark == place.mark else { return nil }
    let heads = Set(known.frontier.heads)
    guard try await store.sharedLog().held(among: Array(heads)) == heads else { return nil }
    return try await store.entitiesTouched(since: known.frontier)
  }
}
