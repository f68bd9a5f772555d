import Testing
import VarveCore
import VarveSealed

@Suite("Proofs of purging")
struct PurgeProofTests {
  private var team: SealedTeam
  private let block: BlockName
  private let operation: MembershipEntry
  private let stored: [UInt8] = [SealedBlock.encoding, 1, 2, 3]
  private let digest = ContentDigest.sha256([9])

  init() throws {
    team = try SealedTeam()
    let commits = team.commits(2, by: team.ben)
    block = BlockName(commit: commits[0].id, index: 3)
    try team.append(.checkpoint([commits[1].id]), by: team.ana)
    operation = try team.append(.redact([block], sealed: [1]), by: team.ana)
  }

  private func proof(
    by signer: Signer? = nil,
    of block: BlockName? = nil,
    operation: ContentDigest? = nil,
    space: SpaceID? = nil
  ) throws -> PurgeProof {
    try PurgeProof(
      replacing: block ?? self.block,
      oldDigest: digest,
      with: stored,
      by: operation ?? self.operation.hash,
      space: space ?? team.space,
      signedBy: signer ?? team.ana
    )
  }

  private func number(
    _ proof: PurgeProof,
    digest: ContentDigest? = nil,
    stored: [UInt8]? = nil,
    after former: Int64? = nil
  ) throws -> Int64 {
    try proof.verifyReplacement(
      of: digest ?? self.digest,
      with: stored ?? self.stored,
      after: former,
      in: team.log
    )
  }

  @Test func `a relay replaces a block with the proof of an admin`() throws {
    let proof = try PurgeProof(encoded: proof().encoded)
    #expect(try number(proof) == operation.number)
    #expect(try number(self.proof(by: team.eve)) == operation.number)
    #expect(try number(self.proof(by: team.recovery.signer)) == operation.number)
  }

  @Test func `a proof holds for one block of one operation`() throws {
    let other = BlockName(commit: block.commit, index: 4)
    #expect(throws: VarveError.self) { try number(proof(of: other)) }
    #expect(throws: VarveError.self) { try number(proof(by: team.ben)) }
    #expect(throws: VarveError.self) { try number(proof(space: .random())) }
    #expect(throws: VarveError.self) { try number(proof(), digest: .zero) }
    #expect(throws: VarveError.self) { try number(proof(), stored: [2, 1, 2, 4]) }
    let bind = try #require(team.log.entries.last { $0.number < operation.number }).hash
    #expect(throws: VarveError.self) { try number(proof(operation: bind)) }
    let missing = #expect(throws: VarveError.self) { try number(proof(operation: .sha256([3]))) }
    #expect(missing?.code == .missingDependencies)
    var plain = stored
    plain[0] = 0
    let unsealed = try PurgeProof(
      replacing: block,
      oldDigest: digest,
      with: plain,
      by: operation.hash,
      space: team.space,
      signedBy: team.ana
    )
    #expect(throws: VarveError.self) { try number(unsealed, stored: plain) }
  }

  @Test func `every changed byte is noticed`() throws {
    let bytes = try proof().encoded
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(throws: VarveError.self) { try number(PurgeProof(encoded: changed)) }
    }
  }

  @Test func `a proof that comes late undoes nothing`() throws {
    var team = team
    let later = try team.append(.redact([block], sealed: [1]), by: team.eve)
    let second = try proof(operation: later.hash)
    let number = try second.verifyReplacement(of: digest, with: stored, after: nil, in: team.log)
    #expect(number == later.number)
    for former in [number, number + 1] {
      #expect(throws: VarveError.self) {
        try proof().verifyReplacement(of: digest, with: stored, after: former, in: team.log)
      }
    }
  }

  @Test func `an admin that was removed replaces nothing`() throws {
    var team = team
    let proof = try proof(by: team.eve)
    try team.append(.remove(team.eve.id, accepted: []), by: team.ana)
    try proof.verify(in: team.log)
    let error = #expect(throws: VarveError.self) {
      try proof.verifyReplacement(of: digest, with: stored, after: nil, in: team.log)
    }
    #expect(error?.code == .forbidden)
  }

  @Test func `a compaction names the blocks up to its horizon`() throws {
    var team = team
    let horizon = Horizon(time: HybridTime(rawValue: 1), frontier: Frontier([block.commit]))
    let entry = try team.append(.compact(horizon), by: team.ana)
    try proof(operation: entry.hash).verify(in: team.log)
    let above = BlockName(commit: team.commits(2, by: team.ben)[1].id, index: 0)
    #expect(throws: VarveError.self) {
      try proof(of: above, operation: entry.hash).verify(in: team.log)
    }
  }
}
