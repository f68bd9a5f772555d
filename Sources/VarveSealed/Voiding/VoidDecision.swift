package import VarveCore

/// The decision which commits of a space count (R29): a function of the set of commits, the set of
/// signed heads and the membership log. The order of their arrival does not matter.
package struct VoidDecision {
  private let log: MembershipLog
  private let commits: [CommitFacts]
  private let branches: ChainBranches
  private let witnesses: Witnesses

  private init(_ log: MembershipLog, _ commits: [CommitFacts], _ heads: [SignedHead]) throws {
    self.log = log
    self.commits = commits
    branches = ChainBranches(commits)
    witnesses = try Witnesses(log, commits, heads, branches)
  }

  /// Returns the verdict of every commit.
  ///
  /// - Complexity: O(commits + signed heads + entries of the log), besides the heads of removals and
  ///   checkpoints.
  package static func verdicts(
    of commits: [CommitFacts],
    heads: [SignedHead],
    log: MembershipLog
  ) throws -> [CommitID: CommitVerdict] {
    let unique = Array(Dictionary(commits.map { ($0.id, $0) }) { first, _ in first }.values)
    let decision = try VoidDecision(log, unique, heads)
    var verdicts = decision.verdictsOfThemselves()
    decision.applyVoiders(&verdicts)
    guard log.state.mode == .open else { return verdicts }
    return verdicts.mapValues { $0 == .accepted ? .accepted : .waiting(.proof) }
  }

  /// The verdicts without what other commits void.
  private func verdictsOfThemselves() -> [CommitID: CommitVerdict] {
    var covers: [ReplicaID: [ClosureCover]] = [:]
    for closure in log.state.closures.values {
      let cover = ClosureCover(
        accepted: branches.coverage(of: closure.accepted.values.joined()),
        checkpointed: branches.coverage(
          of: closure.checkpoints.flatMap { log.state.checkpoints[$0] ?? [] }
        )
      )
      for replica in closure.replicas { covers[replica, default: []].append(cover) }
    }
    return Dictionary(
      uniqueKeysWithValues: commits.map { commit in
        (commit.id, verdict(of: commit, covers[commit.id.replica] ?? []))
      }
    )
  }

  private struct ClosureCover {
    let accepted: ChainBranches.Coverage
    let checkpointed: ChainBranches.Coverage
  }

  private func verdict(of commit: CommitFacts, _ covers: [ClosureCover]) -> CommitVerdict {
    guard commit.content != .newer else { return .waiting(.newerFormat) }
    guard log.state.replicas[commit.id.replica] != nil else { return .waiting(.binding) }
    switch isCutOff(commit.id, covers) {
    case .yes: return .void(.removal)
    case .unknown: return .waiting(.acceptedHead)
    case .no: break
    }
    guard branches.contains(commit.id, in: witnesses.signed) == .yes else {
      return .waiting(.signature)
    }
    switch witnesses.standing(of: commit) {
    case .unknownMembership: return .waiting(.membership)
    case .mayNotWrite: return .void(.role)
    case .otherEpoch: return .void(.epoch)
    case .mayWrite: return commit.content == .valid ? .accepted : .void(.content)
    }
  }

  /// Returns whether a removal or a demotion voids a commit.
  private func isCutOff(_ commit: CommitID, _ covers: [ClosureCover]) -> ChainBranches.Inclusion {
    var isCut = ChainBranches.Inclusion.no
    for cover in covers {
      let accepted = branches.contains(commit, in: cover.accepted)
      let checkpointed = branches.contains(commit, in: cover.checkpointed)
      switch (accepted, checkpointed) {
      case (.yes, _), (_, .yes): continue
      case (.no, .no): return .yes
      default: isCut = .unknown
      }
    }
    return isCut
  }

  /// Voids what accepted commits of the same device void. Each can only be voided by one with an
  /// earlier stamp, so one pass in order of stamp decides all.
  private func applyVoiders(_ verdicts: inout [CommitID: CommitVerdict]) {
    let times = Dictionary(uniqueKeysWithValues: commits.map { ($0.id, $0.time) })
    let checkpoints = log.state.checkpoints.values.map { branches.coverage(of: $0) }
    let voiders = commits.filter { !$0.fields.voided.isEmpty }
      .sorted { ($0.time, $0.id) < ($1.time, $1.id) }
    for voider in voiders where verdicts[voider.id] == .accepted {
      for target in voider.fields.voided {
        guard let time = times[target], time > voider.time, verdicts[target] == .accepted,
          log.state.replicas[target.replica] == log.state.replicas[voider.id.replica],
          !isFinal(target, without: voider.id, checkpoints)
        else { continue }
        verdicts[target] = .void(.author)
      }
    }
  }

  /// Returns whether a checkpoint has a commit below it, and not the one that would void it.
  private func isFinal(
    _ target: CommitID,
    without voider: CommitID,
    _ checkpoints: [ChainBranches.Coverage]
  ) -> Bool {
    checkpoints.contains { checkpoint in
      branches.contains(target, in: checkpoint) != .no
        && branches.contains(voider, in: checkpoint) != .yes
    }
  }
}
