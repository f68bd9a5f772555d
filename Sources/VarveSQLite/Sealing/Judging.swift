import VarveCore

/// The verdicts of the commits of a sealed space (R29).
///
/// The state is the fold over the accepted commits, as for any other log over all. A commit that waits
/// is withheld, with those that had seen it; a void one counts as applied, without its cells.
struct Judging {
  private let log: LogTables
  private let view: any SealedView
  /// The commits, in order of arrival.
  private var commits: [(n: Int64, commit: Commit)] = []
  /// The commits whose content breaks the format.
  private var invalid: Set<CommitID> = []
  /// What is known of the content of the others.
  private var readable: [CommitID: Bool] = [:]
  /// The number of commits that count only because they were written here.
  private(set) var unsignedCount = 0

  init(_ log: LogTables, _ view: any SealedView) throws {
    self.log = log
    self.view = view
    for n in try log.commitNumbers() {
      commits.append((n, try log.commit(number: n, withBlocks: false)))
    }
  }

  /// Returns the verdicts of all commits.
  ///
  /// - Parameter known: the commits that are accepted, whose content is not read again.
  mutating func standings(_ known: Set<Int64>) throws -> [Int64: CommitStanding] {
    let signatures = try log.signatures()
    while true {
      let judged = commits.map { _, commit in
        JudgedCommit(
          id: commit.id,
          header: commit.header,
          isInvalid: invalid.contains(commit.id)
        )
      }
      let verdicts = try view.verdicts(of: judged, signatures: signatures)
      let invalidCount = invalid.count
      for (n, commit) in commits where !known.contains(n) && readable[commit.id] == nil {
        guard verdicts[commit.id] == .accepted else { continue }
        try read(n, commit)
      }
      guard invalid.count > invalidCount else { return try standings(verdicts) }
    }
  }

  private mutating func standings(
    _ verdicts: [CommitID: CommitStanding]
  ) throws -> [Int64: CommitStanding] {
    var standings: [Int64: CommitStanding] = [:]
    unsignedCount = 0
    for (n, commit) in commits {
      var verdict = verdicts[commit.id] ?? .unbound
      if verdict == .accepted, readable[commit.id] == false { verdict = .keyless }
      // What was written here counts here before it is handed over, if it can be.
      if verdict.isUnsigned, view.mayWrite, try log.isWrittenHere(n, commit.header) {
        verdict = .accepted
        unsignedCount += 1
      }
      standings[n] = verdict
    }
    return standings
  }

  /// Finds out whether a commit can be folded.
  private mutating func read(_ n: Int64, _ commit: Commit) throws {
    guard view.seal(of: commit.header) != nil else {
      readable[commit.id] = false
      return
    }
    do {
      let stored = try log.commit(number: n)
      try Self.verifySealed(stored)
      try log.opened(stored).verifyContent()
      readable[commit.id] = true
    } catch let error as VarveError where error.code == .newerFormat {
      readable[commit.id] = false
    } catch let error as VarveError where error.code == .damaged {
      invalid.insert(commit.id)
    }
  }

  /// Throws if a commit has what sealed commits do not have.
  private static func verifySealed(_ commit: Commit) throws {
    let header = commit.header
    guard header.author.isEmpty, header.message.isEmpty else {
      throw commit.damaged("its author is not sealed")
    }
    guard header.kind != .redactions else { throw commit.damaged("it destroys values") }
    for block in commit.blocks where block.stored.first != Block.sealedEncoding {
      throw commit.damaged("a block is not sealed")
    }
  }
}
