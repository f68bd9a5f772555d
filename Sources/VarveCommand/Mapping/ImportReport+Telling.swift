#if CommandLine
import VarveCore
import VarveJSON

extension ImportReport {
  /// The number of diagnostics and changes that are printed.
  private static let shownCount = 20

  /// Returns the report as JSON.
  func json(of document: String, isDryRun: Bool) -> JSON {
    guard case .object(let members) = json(withChanges: isDryRun) else { return .null }
    let own = members.filter { $0.name != "ids" }
    return .object(
      [JSON.Member(name: "document", value: .string(document))] + own
        + [JSON.Member(name: "commit", value: commit.json)]
    )
  }

  /// Returns the report as lines of text.
  func lines(of document: String, isDryRun: Bool) -> [String] {
    let counts =
      [
        (createdCount, "created"), (changedCount, "changed"), (unchangedCount, "unchanged"),
        (endedCount, "ended"),
      ].map { "\(grouped($0)) \($1)" } + (stubCount > 0 ? [counted(stubCount, "stub")] : [])
    let end = isDryRun ? "; nothing written: a dry run" : commit.shown
    var lines = ["\(document): " + counts.joined(separator: ", ") + end]
    for change in changes.prefix(Self.shownCount) { lines.append("  \(change.shown)") }
    let rest = createdCount + changedCount + endedCount + stubCount - Self.shownCount
    if isDryRun, rest > 0 { lines.append("  and \(grouped(rest)) more") }
    for one in diagnostics.prefix(Self.shownCount) {
      let place = one.pointer.isEmpty ? "the document" : one.pointer.printable
      lines.append("  not used: \(place): \(one.reason.printable)")
    }
    if diagnosticCount > Self.shownCount {
      lines.append("  and \(grouped(diagnosticCount - Self.shownCount)) more not used")
    }
    for one in notes.prefix(Self.shownCount) {
      lines.append("  note: mapping \(one.pointer.printable): \(one.reason)")
    }
    return lines
  }
}

extension ImportReport.Change {
  /// `+ Book Book/1`, `~ Book Book/1: title`, `- Book Book/1`.
  fileprivate var shown: String {
    let sign: String
    switch kind {
    case .created: sign = "+"
    case .changed: sign = "~"
    case .ended: sign = "-"
    }
    let name = "\(sign) \(type.text.printable) \(id.text.printable)"
    guard kind == .changed, !keys.isEmpty else { return name }
    return name + ": " + keys.map(\.text.printable).joined(separator: ", ")
  }
}
#endif
