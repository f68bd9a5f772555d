#if CommandLine
import ArgumentParser
import Foundation
import VarveAdoption
import VarveCore
import VarveJSON
import VarveStore

/// `varve import`
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import JSON by a mapping, SQLite databases, or comma-separated files.",
    discussion: """
      Objects are identified by a value, merged by the policies of the mapping, and related even \
      to objects that arrive later. Only changes are written: importing a document again writes \
      nothing. Each document is one transaction, which is rolled back as a whole if it fails or is \
      cancelled (^C). Unusable values are listed with their places. --dry-run lists the changes \
      and writes nothing. With --at, a document is compared with the state at that time. Mapping \
      files are JSON, or YAML (.yaml, .yml); Documentation/Mapping.md describes them. Documents \
      whose names end in .jsonl or .ndjson, or all with --lines, are JSON Lines: one JSON value in \
      each line.

      An SQLite database needs no mapping: its tables become types, its rows entities, and its \
      foreign keys references and ownerships. It is read in one state and never written; importing \
      it again writes the differences only. With --type, documents are comma-separated files with a \
      header, whose lines become entities of that type; a column has the narrowest kind that keeps \
      all its fields. --plan prints what becomes of each table or column.

      Examples:
        varve import hats.varve books.json --mapping map.json
        varve import hats.varve books.json --mapping map.json --dry-run
        varve import hats.varve - --mapping map.json --at 2024-06-01 < books.json
        varve import hats.varve authors.json --mapping map.json --as Author
        varve import hats.varve app.sqlite --plan
        varve import hats.varve app.sqlite --tables Artist,Album --create
        varve import hats.varve hats.csv --type Hat --key code
        varve import hats.varve hats.csv --type Hat --separator ';' --plan
      """
  )

  @OptionGroup var file: StoreFile
  @Argument(help: "The documents; - is standard input.", completion: .file())
  var documents: [String]
  @Option(
    help: ArgumentHelp("The mapping file; required for JSON.", valueName: "file"),
    completion: .file()
  )
  var mapping: String?
  @OptionGroup var chosen: MappingOptions
  @Flag(help: "The documents are JSON Lines: one JSON value in each line.") var lines = false
  @OptionGroup var adoption: AdoptionArguments
  @OptionGroup var separated: CommaSeparatedArguments
  @Flag(help: "List the changes, and write nothing.") var dryRun = false
  @Flag(help: "Create the store if there is none.") var create = false
  @OptionGroup var writing: WritingOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let databaseCount = documents.count(where: AdoptionArguments.isDatabase)
    guard !lines || separated.type == nil && databaseCount == 0 else {
      throw UsageError("--lines is for JSON.")
    }
    guard mapping == nil || separated.type == nil else {
      throw UsageError("--mapping is for JSON, and --type for comma-separated files.")
    }
    if let type = separated.type { return try await adoptLines(EntityType(type), databaseCount) }
    if let option = separated.unwanted { throw UsageError("\(option) needs --type.") }
    if databaseCount > 0, mapping == nil { return try await adoptDatabases(databaseCount) }
    if mapping == nil { try requireDocuments() }
    guard adoption.kind.isEmpty else {
      throw UsageError("--kind needs --type or an SQLite database.")
    }
    guard !adoption.isOfTables else {
      throw UsageError(
        "--tables needs an SQLite database; --rename, --plan and --end-missing need one, or --type."
      )
    }
    guard let mapping else {
      throw UsageError(
        "Missing expected argument '--mapping <file>', or '--type <type>' for comma-separated "
          + "files; no document is an SQLite database."
      )
    }
    try await importDocuments(by: chosen.mappings(mapping))
  }

  /// Throws if a document is not there.
  private func requireDocuments() throws {
    for document in documents where document != "-" {
      guard FileManager.default.fileExists(atPath: document) else {
        throw VarveError(
          .notFound,
          "there is no such file",
          at: document,
          remedy: "Check the path of the file."
        )
      }
    }
  }

  /// Throws if options of mappings are given without one.
  private func refuseMappingOptions() throws {
    guard let option = chosen.given else { return }
    throw UsageError("\(option) is for JSON with a --mapping.")
  }

  /// Throws if there are several documents. They are imported one after another, so a later one would
  /// end or replace what an earlier one brought.
  private func requireOneDocument(because reason: String, _ remedy: String) throws {
    guard documents.count == 1 else {
      throw UsageError("\(reason): the documents are not one set. \(remedy)")
    }
  }

  private func importDocuments(by mappings: Mappings) async throws {
    let all = mappings.names.lazy.compactMap { mappings[$0] }
    if let complete = all.first(where: { $0.completeness != nil }) {
      try requireOneDocument(
        because: "The mapping \(complete.name) is complete, and ends what a document omits",
        "Import them one at a time, or join them to one document."
      )
    }
    var reports: [(document: String, report: ImportReport)] = []
    do {
      try await Store.filling(file.store, creates: create, isDryRun: dryRun) { store in
        for document in documents {
          reports.append((document, try await take(document, into: store, mappings)))
        }
      }
    } catch {
      // Earlier documents stay imported, so their reports are printed.
      if !reports.isEmpty { try? tell(reports) }
      throw error
    }
    try tell(reports)
  }

  private func adoptLines(_ type: EntityType, _ databaseCount: Int) async throws {
    guard databaseCount == 0 else {
      throw UsageError("--type is for comma-separated files, and SQLite databases need none.")
    }
    guard adoption.tables == nil else { throw UsageError("--tables is for SQLite databases.") }
    try refuseMappingOptions()
    if separated.key == nil, separated.identifiers == nil {
      try requireOneDocument(
        because: "Without --key the number of a line identifies it, in each file",
        "Name a column of unique values by --key."
      )
    }
    try refuseEndingAmongSeveral()
    let reading = try separated.reading(adoption)
    func path(_ document: String) -> String { document == "-" ? "/dev/stdin" : document }
    guard !adoption.plan else {
      let plans = try documents.map { document in
        (document, try CommaSeparatedPlan(csv: path(document), as: type, reading: reading))
      }
      var answer = Answer(.array(plans.map { $1.json(of: $0) }))
      for line in plans.flatMap({ $1.lines(of: $0) }) { answer.say(line) }
      return try output.write(answer)
    }
    try await adopt { document, store, options, progress in
      try await store.adopt(
        csv: path(document),
        as: type,
        reading: reading,
        options,
        progress: progress
      )
    }
  }

  private func adoptDatabases(_ count: Int) async throws {
    try refuseMappingOptions()
    guard count == documents.count else {
      try requireDocuments()
      throw UsageError("Import SQLite databases and JSON documents separately.")
    }
    try refuseEndingAmongSeveral()
    guard !adoption.plan else {
      let plans = try documents.map { try adoption.plan(of: $0) }
      var answer = Answer(.array(plans.map(\.json)))
      for line in plans.flatMap(\.lines) { answer.say(line) }
      return try output.write(answer)
    }
    try await adopt { document, store, options, progress in
      let plan = try adoption.plan(of: document)
      return try await store.adopt(sqlite: document, by: plan, options, progress: progress)
    }
  }

  private func refuseEndingAmongSeveral() throws {
    guard adoption.endMissing else { return }
    try requireOneDocument(
      because: "--end-missing ends what a document omits",
      "Import them one at a time, the last with --end-missing if it holds everything."
    )
  }

  private typealias Adopting = (
    String, Store, AdoptionOptions, @escaping (AdoptionProgress) throws -> Void
  ) async throws -> AdoptionReport

  /// Adopts all documents and prints the reports.
  private func adopt(_ adopting: Adopting) async throws {
    var options = AdoptionOptions()
    options.endsMissingRows = adoption.endMissing
    options.isDryRun = dryRun
    options.author = writing.namedAuthor
    options.message = writing.message
    options.time = writing.at
    var reports: [(document: String, report: AdoptionReport)] = []
    do {
      try await Store.filling(file.store, creates: create, isDryRun: dryRun) { store in
        for document in documents {
          let report = try await Progress.during("import", "rows") { line in
            try await adopting(document, store, options) {
              line.show($0.rowCount, of: $0.totalRowCount)
            }
          }
          reports.append((document, report))
        }
      }
    } catch {
      // Earlier documents stay imported, so their reports are printed.
      if !reports.isEmpty { try? tell(reports) }
      throw error
    }
    try tell(reports)
  }

  private func tell(_ reports: [(document: String, report: AdoptionReport)]) throws {
    var answer = Answer(.array(reports.map { $0.report.json(of: $0.document) }))
    for (document, report) in reports {
      for line in report.lines(of: document, isDryRun: dryRun) { answer.say(line) }
    }
    try output.write(answer)
  }

  private func tell(_ reports: [(document: String, report: ImportReport)]) throws {
    var answer = Answer(
      .array(reports.map { $0.report.json(of: $0.document, isDryRun: dryRun) })
    )
    for (document, report) in reports {
      for line in report.lines(of: document, isDryRun: dryRun) { answer.say(line) }
    }
    try output.write(answer)
  }

  private func take(
    _ document: String,
    into store: Store,
    _ mappings: Mappings
  ) async throws -> ImportReport {
    var options = ImportOptions()
    options.isDryRun = dryRun
    options.listsEntities = false
    options.author = writing.namedAuthor
    options.message = writing.message
    options.time = writing.at
    do {
      var source =
        document == "-" ? DocumentSource(.standardInput) : try DocumentSource(file: document)
      if lines { source.format = .jsonLines }
      return try await Progress.during("import", "MiB") { line in
        try await store.import(source, by: mappings, options) { progress in
          line.show(progress.byteCount >> 20, of: progress.totalByteCount.map { $0 >> 20 })
        }
      }
    } catch let error as VarveError {
      // There may be several documents, so the error states which one it is about.
      guard error.place != document else { throw error }
      let place = [document, error.place].compactMap(\.self).joined(separator: ", ")
      throw error.located(at: place)
    }
  }
}
#endif
