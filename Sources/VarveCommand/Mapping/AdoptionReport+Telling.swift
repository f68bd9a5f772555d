#if CommandLine
import VarveAdoption
import VarveCore
import VarveJSON

extension AdoptionReport {
  private static let shownCount = 20

  /// Returns the report as JSON.
  func json(of document: String) -> JSON {
    let counts = [
      ("created", createdCount), ("changed", changedCount), ("unchanged", unchangedCount),
      ("ended", endedCount), ("related", relatedCount), ("unrelated", unrelatedCount),
      ("diagnosticCount", diagnosticCount),
    ]
    return .object(
      [JSON.Member(name: "document", value: .string(document))]
        + counts.map { JSON.Member(name: $0, value: .integer(Int64($1))) }
        + [
          JSON.Member(name: "diagnostics", value: .array(diagnostics.map { .string($0) })),
          JSON.Member(name: "noteCount", value: .count(noteCount)),
          JSON.Member(name: "notes", value: .array(notes.map { .string($0) })),
          JSON.Member(name: "columns", value: .array(columns.map(\.json))),
          JSON.Member(name: "commit", value: commit.json),
        ]
    )
  }

  /// Returns the report as lines of text.
  func lines(of document: String, isDryRun: Bool) -> [String] {
    let counts = [
      (createdCount, "created"), (changedCount, "changed"), (unchangedCount, "unchanged"),
      (endedCount, "ended"), (relatedCount, "related"), (unrelatedCount, "unrelated"),
    ].map { "\(grouped($0)) \($1)" }
    let end = isDryRun ? "; nothing written: a dry run" : commit.shown
    var lines = ["\(document): " + counts.joined(separator: ", ") + end]
    lines += columns.lines
    for one in diagnostics.prefix(Self.shownCount) { lines.append("  not used: \(one.printable)") }
    if diagnosticCount > Self.shownCount {
      lines.append("  and \(grouped(diagnosticCount - Self.shownCount)) more not used")
    }
    for one in notes.prefix(Self.shownCount) { lines.append("  note: \(one.printable)") }
    if noteCount > Self.shownCount {
      lines.append("  and \(grouped(noteCount - Self.shownCount)) more notes")
    }
    return lines
  }
}
#endif
