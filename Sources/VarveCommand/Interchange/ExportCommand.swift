#if CommandLine
import ArgumentParser
import Foundation
import VarveAdoption
import VarveCore
import VarveJSON
import VarveStore

/// `varve export`
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export a store as a JSON document, an SQLite database or comma-separated lines.",
    discussion: """
      A compact document has the current values in their simplest form. A normalized one has the \
      kind, the semantic type and the datestamp of each value. A full one has the commits \
      themselves with history, removals and relations, so that the store can be restored from it. \
      Compact and normalized documents have no relations. Documentation/Interchange.md describes \
      every field.

      With --mapping, entities are written as the objects that a mapping file describes, so that \
      an import with the same file reads them again; see Documentation/Mapping.md. Values that an \
      import would read differently are listed with their places.

      With --output, the file replaces an existing one once it is complete; a link is followed, \
      and a pipe or a device is written to. The store's own files are refused.

      With --sqlite, each type becomes a table of a new SQLite database, each property a column, and \
      relations and to-many properties become tables of links. With --csv, the entities of --type \
      become comma-separated lines. The report says how these are imported again, and which columns \
      cannot be, because lines do not tell values of several kinds apart; JSON documents do.

      Examples:
        varve export hats.varve > hats.json
        varve export hats.varve --form full --output hats-full.json
        varve export hats.varve --form normalized --as-of 2024-06-01
        varve export hats.varve --mapping map.json --exclude authors
        varve export hats.varve --sqlite hats.sqlite --as-of 2024-06-01
        varve export hats.varve --csv --type Hat > hats.csv
      """
  )

  @OptionGroup var file: StoreFile
  @Option(name: .customLong("form"), help: "The form of the document; compact by default.")
  var chosen: FormArgument?
  @Option(
    help: ArgumentHelp("The file to write; standard output by default.", valueName: "file"),
    completion: .file()
  )
  var output: String?
  @Option(
    help: ArgumentHelp("The mapping file for the objects.", valueName: "file"),
    completion: .file()
  )
  var mapping: String?
  @OptionGroup var mapped: MappingOptions
  @Option(
    name: .customLong("exclude"),
    parsing: .singleValue,
    help: ArgumentHelp("Omit the relation with this JSON key, at every depth.", valueName: "key")
  )
  var excluded: [String] = []
  @OptionGroup var tables: TableExportOptions
  @OptionGroup var moment: ReadingOptions
  @Flag(help: "Print one JSON document on standard output, also for an error.")
  var json = false

  private var form: InterchangeForm { chosen?.form ?? .compact }

  func validate() throws {
    if form == .full, moment.asOf != .now {
      throw UsageError("--form full has all commits; omit --as-of.")
    }
    if mapping == nil, mapped.name != nil || mapped.pointer != nil || !excluded.isEmpty {
      throw UsageError("--as, --pointer and --exclude need --mapping.")
    }
    if mapping != nil, chosen != nil {
      throw UsageError("The mapping determines the form; omit --form.")
    }
    if tables.isWanted, mapping != nil || chosen != nil {
      throw UsageError("--sqlite and --csv determine the form; omit --form and --mapping.")
    }
    guard tables.sqlite == nil else {
      if output != nil { throw UsageError("--sqlite names the file; omit --output.") }
      return
    }
    let target = try? output.map { try DocumentTarget($0) }
    if output == nil || target?.isStandardOutput == true, json {
      throw UsageError("The document is on standard output: add --output for a report.")
    }
  }

  private var answers: OutputOptions {
    var options = OutputOptions()
    (options.json, options.csv, options.hasNoPager) = (json, false, false)
    return options
  }

  func run() async throws {
    if let path = tables.sqlite {
      try DocumentTarget(path).refuse(overwriting: file.store)
      let answer = try await file.use(readOnly: true) { store in
        try await tables.export(store, at: try await moment.asOf.moment(in: store), to: path)
      }
      return try answers.write(answer)
    }
    if tables.csv { return try await writeLines() }
    try await writeDocument()
  }

  private func writeLines() async throws {
    let target = try output.map { try DocumentTarget($0) } ?? .standardOutput
    try target.refuse(overwriting: file.store)
    let isShown = !Output.isTerminal || output != nil
    let names = ReadNames(type: EntityType(tables.type ?? ""))
    let (report, notes) = try await file.use(readOnly: true) { store in
      let state = store.asOf(try await moment.asOf.moment(in: store))
      let notes = try await tables.naming.notes(on: names, in: state, at: file.store)
      let report = try await target.write {
        try await tables.export(state, isShown: isShown, to: $0)
      }
      return (report, notes)
    }
    // If the lines were written to standard output, no report can follow them.
    guard let output, !target.isStandardOutput else {
      for line in report.lines(tables.type ?? "") { Output.note(line) }
      for note in notes { Output.remark(note.text) }
      return
    }
    var answer = tables.answer(report, output)
    answer.note(notes)
    try answers.write(answer)
  }

  private func writeDocument() async throws {
    let target = try output.map { try DocumentTarget($0) } ?? .standardOutput
    try target.refuse(overwriting: file.store)
    let report = try await file.use(readOnly: true) { store in
      try await target.write { try await export(store, to: $0) }
    }
    // If the document was written to standard output, no report can follow it.
    guard let output, !target.isStandardOutput else {
      for line in report.diagnosticLines { Output.note(line) }
      return
    }
    try answers.write(answer(report, output))
  }

  private func answer(_ report: ExportReport, _ output: String) -> Answer {
    var members: [JSON.Member] = [
      JSON.Member(name: "form", value: .string(mapping == nil ? form.rawValue : "mapped")),
      JSON.Member(name: "output", value: .string(output)),
      JSON.Member(name: "records", value: .count(report.recordCount)),
      JSON.Member(name: "bytes", value: .count(report.byteCount)),
    ]
    if mapping != nil {
      members += [
        JSON.Member(name: "diagnostics", value: .array(report.diagnostics.map(\.json))),
        JSON.Member(name: "diagnosticCount", value: .count(report.diagnosticCount)),
      ]
    }
    var answer = Answer(.object(members))
    let isFull = form == .full
    let records =
      isFull
      ? counted(report.recordCount, "commit") : counted(report.recordCount, "entity", "entities")
    answer.say("wrote \(records) to \(output.printable), \(grouped(report.byteCount)) bytes")
    for line in report.diagnosticLines { answer.say(line) }
    return answer
  }

  /// Throws unless the excluded keys are relations of some mapping: what is not excluded is written.
  private func requireRelations(in mappings: Mappings) throws {
    let keys = Set(
      mappings.names.compactMap { mappings[$0] }.flatMap(\.relations).map {
        ExactText($0.path.text)
      }
    )
    for key in excluded where !keys.contains(ExactText(key)) {
      throw VarveError(
        .notFound,
        "no mapping has a relation with the JSON key \(key.inQuotes)",
        at: "--exclude",
        remedy: keys.isEmpty
          ? "The mappings have no relations; leave an attribute out of its mapping."
          : "There are \(keys.sorted().map(\.text.inQuotes).joined(separator: ", ")). Leave an attribute out "
            + "of its mapping."
      )
    }
  }

  private func export(
    _ store: Store,
    to write: @escaping ([UInt8]) throws -> Void
  ) async throws -> ExportReport {
    let mappings = try mapping.map { try mapped.mappings($0) }
    if let mappings { try requireRelations(in: mappings) }
    let excluded = Set(excluded)
    return try await Progress.during(
      "export",
      "records",
      isWanted: !Output.isTerminal || output != nil
    ) {
      line in
      func show(_ progress: ExportProgress) {
        line.show(progress.recordCount, of: progress.totalRecordCount)
      }
      let state = try await moment.asOf.moment(in: store)
      if let mappings {
        return try await store.asOf(state).read {
          try await $0.export(
            by: mappings,
            including: { !excluded.contains($0) },
            progress: show,
            to: write
          )
        }
      }
      guard state == .now else {
        return try await store.asOf(state).read {
          try await $0.export(form, progress: show, to: write)
        }
      }
      return try await store.export(form, progress: show, to: write)
    }
  }
}

extension ExportReport {
  /// The number of diagnostics that are printed.
  private static let shownCount = 20

  /// The values that an import would read differently, as lines of text.
  fileprivate var diagnosticLines: [String] {
    var lines = diagnostics.prefix(Self.shownCount).map { one in
      "  read differently: \(one.pointer.printable): \(one.reason.printable)"
    }
    if diagnosticCount > Self.shownCount {
      lines.append("  and \(grouped(diagnosticCount - Self.shownCount)) more read differently")
    }
    return lines
  }
}

extension ExportReport.Diagnostic {
  /// The diagnostic as JSON.
  fileprivate var json: JSON { ["pointer": .string(pointer), "reason": .string(reason)] }
}

/// The form of a document, as the command line names it.
struct FormArgument: ExpressibleByArgument {
  let form: InterchangeForm

  init(_ form: InterchangeForm) { self.form = form }

  init?(argument: String) {
    guard let form = InterchangeForm(rawValue: argument) else { return nil }
    self.form = form
  }

  static let allValueStrings = InterchangeForm.allCases.map(\.rawValue)

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
#endif
