package import VarveCore

/// What tests and operators do beside the port.
extension PostgresHome {
  /// Runs statements in one transaction, and returns the first value of the last one if it is a
  /// number or a truth value.
  @discardableResult
  package func administer(_ statements: [String]) async throws -> Int64? {
    let deadline = ContinuousClock.now + .seconds(60)
    return try await reportingFailures {
      try await pool.use(until: deadline) { connection in
        let calls = [HomeStatement.begin()] + statements.map { PostgresCall($0) }
        do {
          let results = try await connection.run(calls, until: deadline)
          _ = try await connection.run([HomeStatement.commit()], until: deadline)
          guard let last = results.last, last.count > 0 else { return nil }
          let bytes = last.bytes(0, 0)
          return bytes.count == 1 ? Int64(bytes[0]) : last.integer(0, 0)
        } catch {
          _ = try? await connection.run([HomeStatement.rollback()], isCancellable: false)
          throw error
        }
      }
    }
  }

  /// Runs a statement outside of transactions, such as `CREATE DATABASE`.
  package func administer(outside statement: String) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    try await reportingFailures {
      try await pool.use(until: deadline) { connection in
        _ = try await connection.run([PostgresCall(statement)], until: deadline)
      }
    }
  }

  /// Returns a turn that nothing excludes others from, as a holder has that was stopped for too
  /// long. For tests.
  package func strayTurn(of space: SpaceID) async throws -> any HomeTurn {
    let deadline = ContinuousClock.now + configuration.patience
    return try await reportingFailures {
      let connection = try await pool.open(until: deadline)
      return try await PostgresTurn(self, space, connection, until: deadline, isLocking: false)
    }
  }
}
