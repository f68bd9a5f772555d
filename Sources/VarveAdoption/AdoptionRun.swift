import VarveCore
import VarveStore

/// One adoption in one transaction.
final class AdoptionRun {
  let writer: EntityWriter
  var transaction: WriteTransaction { writer.transaction }
  /// The state at the adoption's time.
  var reading: any Reading { writer.reading }
  let database: ForeignDatabase
  let tables: [TableRows]
  private let options: AdoptionOptions
  private let progress: (AdoptionProgress) throws -> Void
  var report: AdoptionReport {
    get { writer.report }
    set { writer.report = newValue }
  }
  /// The identifiers of all rows, if entities of missing rows end.
  private(set) var present: Set<EntityID> = []
  /// The tables of whose types the store had entities before.
  private(set) var known: Set<ForeignName> = []
  private var rowCount = 0
  private var totalRowCount = 0

  private static let batchCount = 500
  private static let batchByteCount = 8 << 20

  init(
    _ transaction: WriteTransaction,
    _ database: ForeignDatabase,
    _ plan: AdoptionPlan,
    _ options: AdoptionOptions,
    _ progress: @escaping (AdoptionProgress) throws -> Void
  ) async throws {
    writer = try await EntityWriter(transaction)
    self.database = database
    self.options = options
    self.progress = progress
    tables = try plan.tables.filter { !$0.isOmitted }.map { try TableRows($0, in: plan) }
    for omission in plan.omissions { writer.report.remark("not adopted: \(omission)") }
    for rows in tables where rows.table.isLink && !rows.linksEntities {
      writer.report.note("\(rows.table.name): a table that it links is not adopted")
    }
    for rows in tables where !rows.table.isLink {
      let name = ForeignDatabase.quoted(rows.table.name)
      let count = try database.all("SELECT count(*) FROM main.\(name)").first?.first??.intValue
      totalRowCount += Int(clamping: count ?? 0)
    }
  }

  /// Creates and changes the entities of all rows.
  func adoptEntities() async throws {
    for rows in tables where !rows.table.isLink {
      for type in rows.types where try await reading.count(Query(type)) > 0 {
        known.insert(ForeignName(rows.table.name))
      }
      var batch: [AdoptedRow] = []
      var byteCount = 0
      try await rows.read(from: database, reportingTo: writer) { row in
        rowCount += 1
        batch.append(row)
        byteCount += row.values.reduce(0) { $0 + ($1?.byteCountEstimate() ?? 0) }
        guard batch.count == Self.batchCount || byteCount > Self.batchByteCount else { return }
        try await adopt(batch, of: rows)
        batch = []
        byteCount = 0
      }
      try await adopt(batch, of: rows)
    }
  }

  private func adopt(_ batch: [AdoptedRow], of rows: TableRows) async throws {
    if options.endsMissingRows { present.formUnion(batch.map(\.id)) }
    try await writer.write(batch, keys: rows.keys)
    try progress(
      AdoptionProgress(
        table: rows.table.name,
        rowCount: rowCount,
        totalRowCount: totalRowCount
      )
    )
  }

  /// Ends the entities whose rows no longer exist, of all tables together: what one of them owns
  /// may be another.
  func endMissingRows() async throws {
    var gone: [EntityID] = []
    for rows in tables where !rows.table.isLink {
      for type in rows.types.sorted() {
        gone += try await reading.ids(of: Query(type))
          .filter { rows.isOwn($0) && !present.contains($0) }
      }
    }
    try await writer.end(gone)
  }
}
