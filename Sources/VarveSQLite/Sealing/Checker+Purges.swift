import VarveCore

extension Checker {
  /// Checks that every purged block of a commit of a sealed space has the content that a proof says.
  func checkProofs(of commit: Commit, _ place: String) throws {
    for (index, block) in commit.blocks.enumerated() where block.isRedacted {
      let name = BlockName(commit: commit.id, index: index)
      guard try !session.log.isProven(block, name) else { continue }
      find("block \(index) of \(place) lacks content, and no proof says why")
    }
  }

  /// Checks that the proofs of purging are those of admins, and name what the membership names.
  func checkPurges() throws {
    guard let view = try session.log.sealedView, let sealing = session.log.sealing else { return }
    let purges = try session.log.purges().map { ($0.block, try sealing.purge(encoded: $0.proof)) }
    let valid = try view.valid(purges.map(\.1))
    for (block, purge) in purges where purge.block != block || !valid.contains(purge) {
      let id = block.commit
      find(
        "the proof that block \(block.index) of commit \(id.sequence) of replica \(id.replica) was "
          + "purged is not valid"
      )
    }
  }
}
