import VarveCore

extension Checker {
  /// Checks that every block of a commit of a sealed space that lacks content is what a purge left of it.
  func checkPurged(_ commit: Commit, _ place: String) throws {
    guard let view = try session.log.sealedView else { return }
    for (index, block) in commit.blocks.enumerated() where block.isRedacted {
      let name = BlockName(commit: commit.id, index: index)
      guard !view.isLeft(.sha256(block.stored), of: name) else { continue }
      find("block \(index) of \(place) lacks content, and no purge left it so")
    }
  }
}
