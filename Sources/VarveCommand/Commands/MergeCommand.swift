#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// `varve merge`
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Copy the commits of one store into another.",
    discussion: """
      Data never prevents a merge, and repeating a merge changes nothing. Two stores with the same \
      commits are equal.

      Each store may be encrypted. The key, of VARVE_KEY or --key-file, is that of both, unless \
      --other-key-file names the key of the second. A plain store needs none. Of stores of a sealed \
      space, --other-keys names the keys of the second. What the first wrote and has not signed yet \
      waits in the second, unless --both is given.

      Examples:
        varve merge laptop.varve office.varve
        varve merge laptop.varve office.varve --both
        varve merge hats.varve copy.varve --create
      """
  )

  @Argument(help: "The store to read from.", completion: .file()) var from: String
  @Argument(help: "The store to write to.", completion: .file()) var into: String
  @Flag(help: "Merge in the other direction too.") var both = false
  @Flag(help: "Create the second store if there is none: a copy with its own replica id.")
  var create = false
  @OptionGroup var key: KeyOption
  @OptionGroup var otherKey: OtherKeyOption
  @OptionGroup var otherKeys: OtherKeysOption
  @OptionGroup var output: OutputOptions

  func run() async throws {
    var existing = Store.Configuration()
    existing.createsIfMissing = false
    existing.isReadOnly = !both
    let reports = try await Store.using(from, existing, key: .unlessPlain) { source in
      try await Store.filling(into, creates: create, key: otherKey.use, keys: otherKeys.use) {
        destination in
        var reports = [(from, into, try await Self.merge(source, into: destination))]
        if both { reports.append((into, from, try await Self.merge(destination, into: source))) }
        return reports
      }
    }
    var answer = Answer(
      .array(reports.map { from, into, report in report.json(from: from, into: into) })
    )
    for (from, into, report) in reports { Self.say(report, from, into, in: &answer) }
    try output.write(answer)
  }

  private static func merge(_ source: Store, into destination: Store) async throws -> MergeReport {
    try await Progress.during("merge", "commits") { progress in
      try await destination.merge(from: source) {
        progress.show($0.commitCount, of: $0.totalCount)
      }
    }
  }

  private static func say(
    _ report: MergeReport,
    _ from: String,
    _ into: String,
    in answer: inout Answer
  ) {
    answer.say("\(from.printable) → \(into.printable): \(counted(report.commitCount, "commit"))")
    if report.heldBackCount > 0 {
      let count = counted(report.heldBackCount, "commit")
      answer.say("  \(count) did not come: \(from.printable) has them in part only")
    }
    if report.partialCount > 0 { answer.say(MergeReport.note(partialCount: report.partialCount)) }
    if report.withheldCount > 0 {
      answer.say(
        "  \(report.withheldCount) withheld: stamped ahead of this computer's clock; varve stats "
          + "\(into.printable) says until when"
      )
    }
    if !report.died.isEmpty {
      answer.say("  died by the merge: \(report.died.shown())")
    }
    if let replica = report.replacedReplica {
      answer.say("  \(replacement(of: into, by: replica, wasRetired: report.wasRetired))")
    }
  }
}
#endif
