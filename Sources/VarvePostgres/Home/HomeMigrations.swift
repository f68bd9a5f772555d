import VarveCore

/// The tables of a home, as numbered steps that each older host survives.
package enum HomeMigrations {
  /// The number of the newest step.
  package static var newest: Int { steps.count }

  /// Each step, from 1, with its statements.
  package static let steps: [[String]] = [
    [
      """
      CREATE TABLE varve.names (name text PRIMARY KEY, space uuid NOT NULL)
      """,
      """
      CREATE TABLE varve.spaces (
        space uuid PRIMARY KEY,
        name text NOT NULL,
        incarnation bigint NOT NULL,
        replica uuid NOT NULL,
        head bigint NOT NULL,
        running bigint NOT NULL,
        format bigint NOT NULL,
        least_host bigint NOT NULL)
      """,
      """
      CREATE TABLE varve.arrivals (
        space uuid NOT NULL,
        position bigint NOT NULL,
        kind smallint NOT NULL,
        running bigint NOT NULL,
        replica uuid NOT NULL,
        sequence bigint NOT NULL,
        hash bytea NOT NULL,
        principal text,
        header bytea,
        blocks bigint NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (space, position))
      """,
      """
      CREATE UNIQUE INDEX arrivals_of_commit
      ON varve.arrivals (space, replica, sequence, hash) WHERE kind <= 2
      """,
      """
      CREATE TABLE varve.blocks (
        space uuid NOT NULL,
        position bigint NOT NULL,
        index bigint NOT NULL,
        salt bytea NOT NULL,
        digest bytea NOT NULL,
        payload bytea NOT NULL,
        PRIMARY KEY (space, position, index))
      """,
      // Payloads are compressed already.
      "ALTER TABLE varve.blocks ALTER COLUMN payload SET STORAGE EXTERNAL",
      "ALTER TABLE varve.arrivals ALTER COLUMN header SET STORAGE EXTERNAL",
      """
      CREATE TABLE varve.probes (
        space uuid NOT NULL, slot bigint NOT NULL, beat bigint NOT NULL, PRIMARY KEY (space, slot))
      """,
    ],
    [
      """
      CREATE TABLE varve.notes (
        kind text NOT NULL, name text NOT NULL, text text NOT NULL, PRIMARY KEY (kind, name))
      """
    ],
    // Rows of older hosts have no seals, and a seal of a space counts only at the head it is about.
    [
      "ALTER TABLE varve.arrivals ADD COLUMN seal bigint",
      "ALTER TABLE varve.blocks ADD COLUMN seal bigint",
      "ALTER TABLE varve.spaces ADD COLUMN seal bigint, ADD COLUMN sealed bigint",
      "ALTER TABLE varve.notes ADD COLUMN seal bigint",
    ],
  ]

  /// Applies the steps that a database lacks, each in a transaction of its own. Another process may
  /// do the same at the same time.
  ///
  /// - Returns: the number of the newest step before.
  static func apply(
    on connection: PostgresConnection,
    until deadline: ContinuousClock.Instant
  ) async throws -> Int {
    var before: Int?
    while true {
      do {
        _ = try await connection.run(
          [
            PostgresCall("CREATE SCHEMA IF NOT EXISTS varve"),
            PostgresCall(
              """
              CREATE TABLE IF NOT EXISTS varve.migrations (
                number bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
              """
            ),
          ],
          until: deadline
        )
        break
      } catch let failure as PostgresFailure
        where ["23505", "42P06", "42P07", "42710"].contains(failure.state) && !failure.isBroken
      {
        // Another process was faster.
        continue
      }
    }
    while true {
      let results = try await connection.run(
        [
          HomeStatement.begin(),
          PostgresCall("LOCK TABLE varve.migrations IN EXCLUSIVE MODE"),
          HomeStatement.migration(),
        ],
        until: deadline
      )
      let number = results[2].count == 0 ? 0 : Int(results[2].integer(0, 0))
      before = before ?? number
      guard number < newest else {
        _ = try await connection.run([HomeStatement.rollback()], until: deadline)
        return before ?? number
      }
      do {
        let done = PostgresCall(
          "INSERT INTO varve.migrations (number) VALUES ($1::bigint)",
          [.integer(Int64(number + 1))]
        )
        let calls = steps[number].map { PostgresCall($0) } + [done, HomeStatement.commit()]
        _ = try await connection.run(calls, until: deadline, isCancellable: false)
      } catch {
        await connection.close()
        throw error
      }
    }
  }
}
