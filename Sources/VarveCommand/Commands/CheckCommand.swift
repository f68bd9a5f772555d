#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve check`
struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify the integrity of a store.",
    discussion: """
      Verifies every hash and compares every table with the log; at a member of a sealed space, also every signature. \
      Exits with 1 if anything is wrong.

      Examples:
        varve check hats.varve
        varve check hats.varve --json
      """
  )

  @OptionGroup var file: StoreFile
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (report, ahead) = try await file.use(readOnly: true) { store in
      let report = try await Progress.during("check", "steps") { progress in
        try await store.check { progress.show($0.done, of: $0.total) }
      }
      return (report, try await store.commitsAhead())
    }
    var answer = Answer(report.json(ahead))
    answer.say(report.summary)
    if let signatures = report.signatures { answer.say("  \(signatures.shown)") }
    for commits in ahead { answer.say("  \(commits.shown)") }
    if report.partialCount > 0 {
      answer.say(
        "  \(counted(report.partialCount, "commit")) incomplete: synchronise for the rest"
      )
    }
    for finding in report.findings { answer.say("  \(finding.printable)") }
    if !report.isClean {
      answer.say(
        "If the findings are about tables, varve rebuild \(file.store) derives them again."
      )
    }
    var table = Table("finding")
    for finding in report.findings { table.add(finding) }
    answer.tabulate(table)
    try output.write(answer)
    if !report.isClean { throw ExitCode.failure }
  }
}

extension SignatureCounts {
  /// The counts in one line.
  fileprivate var shown: String {
    "\(counted(signedCount, "commit")) signed, \(grouped(unsignedCount)) unsigned, "
      + "\(grouped(waitingCount)) waiting, \(grouped(voidCount)) void"
  }
}

extension CheckReport {
  /// The findings in one line.
  var summary: String {
    let extent =
      "\(counted(commitCount, "commit")), \(counted(blockCount, "block")) and "
      + "\(counted(entityCount, "entity", "entities")) verified"
    return isClean
      ? "clean: \(extent)" : "\(counted(findings.count, "finding")): \(extent)"
  }
}
#endif
