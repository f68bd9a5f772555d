import VarveCore

// How the replacements of purged blocks pass from store to store: each side asks for those it lacks, by digest.

/// The blocks that pass from side to side in an exchange.
struct Replacing: Sendable {
  /// The digests that the other side asked for in its last message.
  var asked: [ContentDigest] = []
  /// The digests that this side asked for. It does not ask again.
  var requested: Set<ContentDigest> = []
  /// The digests of replacements with other content than the rest of the block here.
  var refused: Set<ContentDigest> = []
  /// The digests of the replacements that this side sent.
  var sent: Set<ContentDigest> = []
  /// The digests that the other side asked for and this side does not have.
  var unavailable: Set<ContentDigest> = []
  /// The head of the log at which nothing was lacking here.
  var completeAt: ContentDigest?
  /// The number of messages with the present proposal.
  var proposedCount = 0
  /// Whether the home did not take a proposal, so that no purge is proposed to it in this exchange.
  var isOver = false
  /// The number of blocks that were sent or taken.
  private(set) var count = 0

  mutating func note() { count += 1 }

  /// Begins with another side.
  mutating func begin() {
    (asked, requested, sent, unavailable) = ([], [], [], [])
    (proposedCount, isOver) = (0, false)
  }
}

extension Correspondence {
  /// The size of the replaced blocks in a message, in bytes.
  private static let messageByteCount = 24 << 20
  /// The size of the replaced blocks in a publication, in bytes.
  private static let publicationByteCount = 64 << 20
  /// The size below which a block is sent with others of its commit. What is left of chunks is smaller: a
  /// block and the chunks of its value are replaced together.
  private static let smallByteCount = 1 << 10

  // MARK: Sending

  /// Adds what the other side asked for, as much as a message may have, and asks for what is lacking here.
  mutating func addReplacements(
    _ view: MemberView,
    _ desk: any SealedDesk,
    to letter: inout SealedLetter
  ) throws {
    var size = letter.replacements.reduce(0) { $0 + $1.count }
    for digest in replacing.asked where size < Self.messageByteCount {
      guard let block = view.purged.block(leftAs: digest),
        let stored = try desk.storedBytes(of: block)
      else {
        replacing.unavailable.insert(digest)
        continue
      }
      let small = try smallBlocks(of: block.name.commit, view, desk).filter { $0 != stored }
      for bytes in [stored] + small {
        letter.replacements.append(bytes)
        size += bytes.count
      }
      if replacing.sent.insert(digest).inserted { replacing.note() }
    }
    replacing.asked = []
    guard isMeeting else { return }
    letter.wanted = try wanted(view, desk)
    replacing.requested.formUnion(letter.wanted)
  }

  /// Returns the small ones among the blocks of a commit that were purged.
  private func smallBlocks(
    of commit: CommitID,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> [[UInt8]] {
    try view.purgedBlocks(of: commit).compactMap { try desk.storedBytes(of: $0) }
      .filter { $0.count < Self.smallByteCount }
  }

  /// Returns the digests of what is lacking here and was not asked for in vain.
  private mutating func wanted(
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> [ContentDigest] {
    // No commit comes during an exchange of memberships.
    guard replacing.completeAt != view.log.head else { return [] }
    let known = replacing.requested.union(replacing.refused)
    var wanted: [ContentDigest] = []
    for block in view.purgedBlocks where wanted.count < SealedLetter.wantedLimit {
      guard !known.contains(block.digest), !isKnown(block.digest.bytes) else { continue }
      if try desk.lacks(block) { wanted.append(block.digest) }
    }
    if wanted.isEmpty, known.isEmpty { replacing.completeAt = view.log.head }
    return wanted
  }

  /// Whether this side lacks blocks for which it has not asked yet.
  mutating func mayGetReplacements(_ view: MemberView, _ desk: any SealedDesk) throws -> Bool {
    try !wanted(view, desk).isEmpty
  }

  /// Adds everything that purges left here, as much as a publication may have.
  func addAllReplacements(
    _ view: MemberView,
    _ desk: any SealedDesk,
    to letter: inout SealedLetter
  ) throws {
    var size = 0
    for block in view.purgedBlocks {
      guard let stored = try desk.storedBytes(of: block) else { continue }
      // A block and the chunks of its value are not separated.
      guard size < Self.publicationByteCount || stored.count < Self.smallByteCount else { return }
      letter.replacements.append(stored)
      size += stored.count
    }
  }

  // MARK: Taking

  /// Replaces the blocks that are here as they were before.
  mutating func take(
    replacementsOf letter: SealedLetter,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws {
    guard !letter.replacements.isEmpty else { return }
    var size = 0
    var blocks: [(block: PurgedBlock, stored: [UInt8])] = []
    for stored in letter.replacements {
      size += stored.count
      guard let block = view.purged.block(leftAs: .sha256(stored)), try desk.lacks(block) else {
        continue
      }
      blocks.append((block, stored))
    }
    var hasReplaced = false
    // A block comes before the chunks of its value.
    for (block, stored) in blocks.sorted(by: { $0.block.name < $1.block.name }) {
      if try desk.replace(block, by: stored) {
        hasReplaced = true
        replacing.note()
      } else {
        replacing.refused.insert(block.digest)
      }
    }
    // The other side had no room for the others.
    replacing.requested = []
    guard hasReplaced else { return }
    if try size < Self.messageByteCount || wanted(view, desk).isEmpty {
      try desk.destroyReplacedBytes()
    }
  }

  // MARK: Proposals

  /// Gives up a proposal that the home did not take: it lacks commits, which come after the memberships.
  mutating func dropUnorderedProposal() {
    guard let proposal, !proposal.replacements.isEmpty else {
      replacing.proposedCount = 0
      return
    }
    replacing.proposedCount += 1
    guard replacing.proposedCount > 3 else { return }
    replacing.isOver = true
    dropProposal()
  }

  /// Returns whether a message brings what new entries leave of the blocks that are here, and the commits
  /// are here up to which they fold history.
  func brings(
    _ letter: SealedLetter,
    _ entries: ArraySlice<MembershipEntry>,
    _ desk: any SealedDesk
  ) throws -> Bool {
    var digests: Set<ContentDigest>?
    for case .redact(let blocks, _) in entries.map(\.operation) {
      let brought = digests ?? Set(letter.replacements.map { ContentDigest.sha256($0) })
      digests = brought
      for block in blocks where try desk.lacks(block) && !brought.contains(block.digest) {
        return false
      }
    }
    for case .compact(let horizon) in entries.map(\.operation) {
      for head in horizon.frontier.heads where try desk.heads(among: [head]).isEmpty {
        return false
      }
    }
    return true
  }
}
