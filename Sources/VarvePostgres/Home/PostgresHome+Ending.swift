package import VarveCore

/// Ending spaces.
extension PostgresHome {
  /// Ends a space.
  ///
  /// - Parameter finish: called with the head and the number of commits while nobody else can write.
  ///   It may read the space, and returns the note to keep of it. If it throws, the space stays.
  package func end(
    _ space: SpaceID,
    _ finish: (_ head: HomeHead, _ commitCount: Int) async throws -> HomeNote?
  ) async throws {
    try await writing { connection, deadline in
      let locked = try await connection.run(
        [
          HomeStatement.begin(), settings(lockTimeout: 10_000),
          HomeStatement.lock(PostgresValue(space)), HomeStatement.head(PostgresValue(space)),
          HomeStatement.commitCount(PostgresValue(space)),
        ],
        until: deadline
      )
      guard locked[2].count == 1, let name = locked[2].text(0, 0) else {
        throw VarveError.noSuchSpace(space, at: PostgresAddress.shown)
      }
      let head = try PostgresHead(locked[3], of: space).head
      let kept = KeptConnection(connection, configuration)
      let note: HomeNote?
      do {
        note = try await finish(head, Int(locked[4].integer(0, 0)))
        await kept.end(rollsBack: false)
      } catch {
        await kept.end()
        throw error
      }
      let id = PostgresValue(space)
      _ = try await connection.run(
        (note.map { [HomeStatement.replaceNote.call($0)] } ?? []) + [
          HomeStatement.removeBlocks(id), HomeStatement.removeArrivals(id),
          HomeStatement.removeProbes(id), HomeStatement.removeSpace(id),
          HomeStatement.removeName(.text(name), id), HomeStatement.commit(),
        ],
        isCancellable: false
      )
    }
  }
}
