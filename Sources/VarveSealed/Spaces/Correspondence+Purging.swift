import VarveCore

// How blocks that were purged, and the proofs of it, pass from store to store.
extension Correspondence {
  /// The size of the replaced blocks in a message, in bytes.
  private static let replacedByteCount = 8 << 20
  /// The size of the replaced blocks in a publication, in bytes.
  private static let publishedByteCount = 256 << 20

  /// Adds the replaced blocks that the other side lacks, as many as a message may have.
  ///
  /// An admin's device seals blocks anew that both sides lack: the device that purged them was lost before it
  /// could.
  mutating func addReplacements(
    _ view: MemberView,
    _ peer: SealedLetter.Summary,
    _ desk: any SealedDesk,
    to letter: inout SealedLetter
  ) throws {
    let slots = view.purged.slots
    var size = 0
    var index = Int(clamping: peer.purgedCount)
    while index < slots.count, size < Self.replacedByteCount {
      let slot = slots[index]
      index += 1
      if peer.isHome, try !view.purged.isFilled(slot, desk) { try fill(slot, view, desk) }
      guard let replacement = try replacement(of: slot, view, desk, forRelay: peer.isRelay) else {
        continue
      }
      let digest = ContentDigest.sha256(replacement.stored)
      guard !isKnown(digest.bytes), sentReplacements.insert(digest).inserted else { continue }
      letter.replacements.append(replacement)
      size += replacement.stored.count
    }
    if !letter.replacements.isEmpty {
      letter.summary.purgedCount = try summary(view, desk).purgedCount
    }
  }

  /// Returns the hashes of the replaced blocks that are here beyond the first that is not.
  mutating func replacedBeyondFirstLack(
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> [ContentDigest] {
    let count = Int(clamping: try purgedCount(view, desk))
    var digests: [ContentDigest] = []
    for slot in view.purged.slots[count...].prefix(SealedLimits.headCount) {
      guard let (proof, isDone) = try desk.purge(of: slot.block), isDone else { continue }
      digests.append(try PurgeProof(encoded: proof).newDigest)
    }
    return digests
  }

  /// Adds all replaced blocks, as many as a publication may have.
  func addAllReplacements(
    _ view: MemberView,
    _ desk: any SealedDesk,
    to letter: inout SealedLetter
  ) throws {
    var size = 0
    var named: Set<BlockName> = []
    for slot in view.purged.slots where named.insert(slot.block).inserted {
      guard size < Self.publishedByteCount else { return }
      guard let replacement = try replacement(of: slot, view, desk, forRelay: false) else {
        continue
      }
      letter.replacements.append(replacement)
      size += replacement.stored.count
    }
  }

  /// Returns the replaced block of a slot; nil if it is not here.
  private func replacement(
    of slot: PurgedBlocks.Slot,
    _ view: MemberView,
    _ desk: any SealedDesk,
    forRelay: Bool
  ) throws -> SealedLetter.Replacement? {
    guard try view.purged.isFilled(slot, desk), let (encoded, _) = try desk.purge(of: slot.block),
      let stored = try desk.storedBytes(of: slot.block)
    else { return nil }
    var proof = try PurgeProof(encoded: encoded)
    if !view.log.state.isAdmin(proof.signer) {
      // A relay takes only proofs of those who are admins now.
      if view.mayPurge, let device = sealing.keeper?.device {
        proof = try proof.signed(by: device)
      } else if forRelay {
        return nil
      }
    }
    return SealedLetter.Replacement(proof: proof.encoded, stored: stored)
  }

  /// Seals a block anew without what a purge destroys, if this device may.
  private func fill(
    _ slot: PurgedBlocks.Slot,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws {
    guard view.mayPurge, let device = sealing.keeper?.device else { return }
    let redactions = view.redactions(of: [slot.block.commit])
    let blocks = try desk.resealed(redactions)
    for block in blocks where block.name == slot.block {
      let proof = try PurgeProof(
        replacing: block.name,
        oldDigest: block.digest,
        with: block.stored,
        by: slot.entry.hash,
        space: view.space,
        signedBy: device
      )
      try desk.keep(proof.purge, block.stored)
    }
  }

  /// Keeps the replaced blocks that came, and are newer than what is here.
  func take(
    replacementsOf letter: SealedLetter,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws {
    let new = try letter.replacements.map { (try PurgeProof(encoded: $0.proof), $0.stored) }
      .filter { try isNews($0.0, view, desk) }
    guard !new.isEmpty else { return }
    let results = try view.log.verify(new.map(\.0))
    for (proof, stored) in new {
      _ = try results[proof]?.get()
      if sealing.keeper == nil { try proof.requireAdmin(in: view.log) }
      try proof.requireBytes(stored)
      // One before it may have been of the same block.
      if try isNews(proof, view, desk) { try desk.keep(proof.purge, stored) }
    }
  }

  /// Returns whether a proof says more than what is here of its block.
  private func isNews(
    _ proof: PurgeProof,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> Bool {
    // A publication may be of a log that is ahead.
    guard let place = view.purged.place(of: proof.operation) else { return false }
    guard let (known, isDone) = try desk.purge(of: proof.block) else { return true }
    let former = view.purged.place(of: try PurgeProof(encoded: known).operation) ?? -1
    // A block that is here as it was before becomes what any purge left of it.
    return place > former || !isDone
  }
}
