#if CommandLine
import ArgumentParser
import Foundation
import VarveAdoption
import VarveCore
import VarveJSON
import VarveStore

/// The options of `varve export` for SQLite databases and comma-separated lines.
struct TableExportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write an SQLite database, with a table for each type.", valueName: "file"),
    completion: .file()
  )
  var sqlite: String?

  @Flag(help: "Write the entities of --type as comma-separated lines.")
  var csv = false

  @Option(help: ArgumentHelp("The type of the comma-separated lines.", valueName: "type"))
  var type: String?

  @OptionGroup var naming: NamingOptions

  /// Whether tables are written rather than a document.
  var isWanted: Bool { sqlite != nil || csv }

  func validate() throws {
    if csv, sqlite != nil { throw UsageError("Use --sqlite or --csv, not both.") }
    if naming.strict, !csv { throw UsageError("--strict belongs to --csv.") }
    if csv != (type != nil) { throw UsageError("--csv and --type belong together.") }
  }

  /// Writes a database, and returns the report.
  func export(_ store: Store, at moment: Moment, to path: String) async throws -> Answer {
    let report = try await Progress.during("export", "rows") { line in
      try await store.asOf(moment).export(sqlite: path) {
        line.show($0.rowCount, of: $0.totalRowCount)
      }
    }
    var answer = Answer(
      .object([
        JSON.Member(name: "form", value: .string("sqlite")),
        JSON.Member(name: "output", value: .string(path)),
        JSON.Member(name: "records", value: .count(report.entityCount)),
        JSON.Member(name: "links", value: .count(report.linkCount)),
        JSON.Member(name: "tables", value: .array(report.tables.map { .string($0) })),
        JSON.Member(
          name: "inexact",
          value: .object(
            report.inexact.map {
              JSON.Member(name: "\($0.table).\($0.column)", value: .string($0.reason))
            }
          )
        ),
      ])
    )
    answer.say(
      "wrote \(counted(report.entityCount, "entity", "entities")) and "
        + "\(counted(report.linkCount, "link")) to \(path.printable), "
        + counted(report.tables.count, "table")
    )
    for one in report.inexact { answer.say(one.line("\(one.table).\(one.column)")) }
    return answer
  }

  /// Writes lines, and returns how they are read again.
  func export(
    _ state: some Reading,
    isShown: Bool,
    to write: @escaping ([UInt8]) throws -> Void
  ) async throws -> CommaSeparatedExport {
    try await Progress.during("export", "rows", isWanted: isShown) { line in
      try await state.export(
        csv: EntityType(type ?? ""),
        progress: { line.show($0.rowCount, of: $0.totalRowCount) },
        to: write
      )
    }
  }

  /// Returns the report for lines that were written to a file.
  func answer(_ report: CommaSeparatedExport, _ output: String) -> Answer {
    let kinds = report.reading.kinds.sorted { $0.key < $1.key }
    let properties = report.reading.properties.sorted { $0.key < $1.key }
    var answer = Answer(
      .object([
        JSON.Member(name: "form", value: .string("csv")),
        JSON.Member(name: "output", value: .string(output)),
        JSON.Member(name: "records", value: .count(report.lineCount)),
        JSON.Member(
          name: "identifiers",
          value: report.reading.identifiers.map { .string($0) } ?? .null
        ),
        JSON.Member(
          name: "kinds",
          value: .object(kinds.map { JSON.Member(name: $0.text, value: .string($1.rawValue)) })
        ),
        JSON.Member(
          name: "properties",
          value: .object(properties.map { JSON.Member(name: $0.text, value: .string($1.text)) })
        ),
        JSON.Member(
          name: "inexact",
          value: .object(
            report.inexact.map { JSON.Member(name: $0.column, value: .string($0.reason)) }
          )
        ),
      ])
    )
    answer.say("wrote \(counted(report.lineCount, "entity", "entities")) to \(output.printable)")
    for line in report.lines(type ?? "") { answer.say(line) }
    return answer
  }
}

extension CommaSeparatedExport {
  /// How the lines are read again, where an import would read them otherwise by itself, and which
  /// columns cannot be.
  func lines(_ type: String) -> [String] {
    var options = [(name: "--type", value: type)]
    if let identifiers = reading.identifiers { options.append(("--identifiers", identifiers)) }
    for heading in disguised {
      guard let kind = reading.kinds[PropertyKey(heading)] else { continue }
      options.append(("--kind", "\(heading)=\(kind.rawValue)"))
    }
    for (heading, property) in reading.properties.sorted(by: { $0.key < $1.key }) {
      options.append(("--rename", "\(heading)=\(property)"))
    }
    let isPlain = disguised.isEmpty && reading.properties.isEmpty
    // No argument of a program has a zero character.
    let (typed, untypable) = (
      options.filter { !$0.value.contains("\0") }, options.filter { $0.value.contains("\0") }
    )
    let words = typed.map { $0.name.with($0.value) }.joined(separator: " ")
    return (isPlain ? [] : ["  import again with \(words)"])
      + untypable.map { option in
        "  not read again as it was: a command line cannot have the zero character in "
          + "\(option.name) \(option.value.printable)"
      } + inexact.map { $0.line($0.column) }
  }
}

extension InexactColumn {
  /// The column and the reason as a line of text.
  fileprivate func line(_ name: String) -> String {
    "  not read again as it was: \(name.printable): \(reason)"
  }
}

extension String {
  /// The option with this name and a value, as words of a shell.
  fileprivate func with(_ value: String) -> String {
    // A value with a hyphen would be taken for an option.
    value.hasPrefix("-") ? "\(self)=\(value.quotedForShells)" : "\(self) \(value.quotedForShells)"
  }

  /// The text as one word of a shell.
  fileprivate var quotedForShells: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || "_=.-/:".utf8.contains(byte)
      }
    if isPlain { return self }
    guard printable == self else {
      // Most shells read the escapes of C in such quotes.
      let escaped = unicodeScalars.map { scalar -> String in
        switch scalar {
        case "'", "\\": "\\\(scalar)"
        case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F: "\(scalar)"
        default: scalar.utf8.map { "\\\(octal: $0)" }.joined()
        }
      }
      return "$'" + escaped.joined() + "'"
    }
    return "'" + replacing("'", with: "'\\''") + "'"
  }
}

extension DefaultStringInterpolation {
  /// Appends a byte as three octal digits.
  fileprivate mutating func appendInterpolation(octal byte: UInt8) {
    let digits = String(byte, radix: 8)
    appendLiteral(String(repeating: "0", count: 3 - digits.count) + digits)
  }
}
#endif
