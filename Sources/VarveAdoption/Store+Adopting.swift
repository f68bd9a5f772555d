import VarveCore
public import VarveStore

extension Store {
  /// Adopts the tables of an SQLite database in one transaction, completely or not at all.
  ///
  /// The database is read in one state and never written, so that its application can go on
  /// writing. Only differences are written: adopting the database again writes what changed since,
  /// and makes no commit if nothing did. Where the store has other values for a row, the database's
  /// win. With ``AdoptionOptions/time``, the database is compared with the state at that time.
  ///
  /// ```swift
  /// let report = try await store.adopt(sqlite: "app.sqlite")
  /// print(report.createdCount, report.changedCount, report.unchangedCount)
  /// ```
  ///
  /// - Parameters:
  ///   - path: the database.
  ///   - plan: what becomes of each table; nil for ``AdoptionPlan/init(sqlite:)``. It must be the
  ///     plan of this database.
  ///   - options: the author, the time, and whether entities of missing rows end.
  ///   - progress: called after each batch of rows. If it throws, nothing is written.
  /// - Returns: the report.
  /// - Throws: `VarveError`: as ``AdoptionPlan/init(sqlite:)``; `invalidArgument` if two columns
  ///   have the same property, or if a dated adoption would alter later states; `valueTooLarge`;
  ///   and as `write(as:author:message:at:_:)`.
  /// - Complexity: O(rows × log entities). With ``AdoptionOptions/endsMissingRows``, the
  ///   identifiers of all rows are kept in memory.
  @discardableResult
  public func adopt(
    sqlite path: String,
    by plan: AdoptionPlan? = nil,
    _ options: AdoptionOptions = AdoptionOptions(),
    progress: @escaping (AdoptionProgress) throws -> Void = { _ in }
  ) async throws -> AdoptionReport {
    let database = try ForeignDatabase(file: path)
    let plan = try plan ?? AdoptionPlan(database)
    return try await adopting(options) { transaction in
      let run = try await AdoptionRun(transaction, database, plan, options, progress)
      try await run.adoptEntities()
      try await run.adoptOwners()
      try await run.adoptLinks()
      if options.endsMissingRows { try await run.endMissingRows() }
      return run.report
    }
  }

  /// Runs an adoption as one commit, or rolls it back if it is a dry run.
  func adopting(
    _ options: AdoptionOptions,
    _ body: (WriteTransaction) async throws -> AdoptionReport
  ) async throws -> AdoptionReport {
    do {
      var (report, commit) = try await self.commit(
        as: .import,
        author: options.author,
        message: options.message,
        at: options.time
      ) { transaction in
        let report = try await body(transaction)
        if options.isDryRun { throw DryRun(report: report) }
        return report
      }
      report.commit = commit
      return report
    } catch let dryRun as DryRun {
      return dryRun.report
    }
  }
}

/// The error that ends a dry run, so that it is rolled back.
private struct DryRun: Error {
  let report: AdoptionReport
}
