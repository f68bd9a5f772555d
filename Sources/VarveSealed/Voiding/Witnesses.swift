import VarveCore

/// What the membership log and the signed heads say of commits.
struct Witnesses {
  /// The commits that their devices signed, as heads or below them.
  let signed: ChainBranches.Coverage
  private let standings: [Claim: Standing]

  /// What a commit was written under.
  enum Standing {
    case mayWrite
    case mayNotWrite
    case otherEpoch
    case unknownMembership
  }

  /// What a commit claims: all commits that claim the same stand alike.
  private struct Claim: Hashable {
    let membershipHead: ContentDigest
    let replica: ReplicaID
    let epoch: Int64?
  }

  init(
    _ log: MembershipLog,
    _ commits: [CommitFacts],
    _ heads: [SignedHead],
    _ branches: ChainBranches
  ) throws {
    let claims = Dictionary(
      grouping: Set(commits.compactMap(Self.claim)),
      by: \.membershipHead
    )
    let headsByEntry = Dictionary(grouping: Set(heads), by: \.membershipHead)
    let devices = log.state.replicas
    var standings: [Claim: Standing] = [:]
    var valid: [CommitID] = []
    try log.replay { entry, state in
      for head in headsByEntry[entry.hash] ?? []
      where devices[head.commit.replica] == head.device && head.isValid(in: state) {
        valid.append(head.commit)
      }
      for claim in claims[entry.hash] ?? [] {
        standings[claim] = Self.standing(of: claim, devices[claim.replica], state)
      }
    }
    self.standings = standings
    signed = branches.coverage(of: valid)
  }

  private static func claim(of commit: CommitFacts) -> Claim? {
    commit.fields.membershipHead.map {
      Claim(
        membershipHead: $0,
        replica: commit.id.replica,
        epoch: commit.fields.epoch
      )
    }
  }

  private static func standing(
    of claim: Claim,
    _ device: DeviceID?,
    _ state: MembershipState
  ) -> Standing {
    guard let device, let role = state.role(of: device), role >= .writer else {
      return .mayNotWrite
    }
    guard state.mode == .sealed else { return claim.epoch == nil ? .mayWrite : .otherEpoch }
    guard state.epochInForce != nil, claim.epoch == state.epochNumber else { return .otherEpoch }
    return .mayWrite
  }

  func standing(of commit: CommitFacts) -> Standing {
    guard let claim = Self.claim(of: commit) else { return .mayNotWrite }
    return standings[claim] ?? .unknownMembership
  }
}
