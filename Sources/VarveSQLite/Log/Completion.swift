import VarveCore

/// Completes a stored commit that lacks cells from its complete blocks.
///
/// Each block is verified by the digest of its place. The missing cells are applied like those of
/// any late commit.
///
/// Nothing had verified what the store had of the commit before. If it is no part of the verified
/// content, the state must be derived anew, because cells cannot be taken back one by one.
final class Completion {
  private let session: Session
  private let commit: Commit
  private let n: Int64
  private var index = 0
  /// The blocks that had less content before, with that content.
  private var changed: [(b: Int64, before: BlockContent?)] = []
  /// Whether the store had content that the commit does not have.
  private(set) var isRefuting = false

  init(_ session: Session, _ commit: Commit, n: Int64) {
    self.session = session
    self.commit = commit
    self.n = n
  }

  /// Adds the next block.
  func add(_ block: Block) throws {
    guard index < commit.header.blockCount else {
      throw commit.damaged("it has more blocks than its header says")
    }
    let b = n + Int64(index)
    index += 1
    guard block.isIntact, try session.log.digest(ofBlock: b) == block.digest else {
      throw commit.damaged("the content of block \(index - 1) does not match its digest")
    }
    let stored = try session.log.storedBlock(b)
    // A block without a salt may have the same content, but nothing proves it.
    let isNew = stored.stored != block.stored || !block.isRedacted
    guard stored.isRedacted, !block.isOutline, isNew else { return }
    let before = try session.log.cells(ofBlock: b)
    try session.log.replace(b, by: block)
    if try !BlockContent.isPart(before, of: session.log.cells(ofBlock: b)) { isRefuting = true }
    changed.append((b, before))
  }

  /// Applies the missing cells. Returns whether the commit is complete.
  ///
  /// - Parameter isDerivedAnew: whether the state will be derived anew, so that nothing is applied.
  func finish(_ events: inout LifeEvents, isDerivedAnew: Bool) throws -> Bool {
    if !changed.isEmpty {
      try session.catalogue.noteChange()
      if try session.log.isWithheld(n) {
        isRefuting = false
        try session.log.commit(number: n).verifyContent()
      } else if !isDerivedAnew, !isRefuting {
        try apply(&events)
      }
    }
    let named = try session.log.redactedCells(of: commit.id)
    if let named { try session.redact(n, named) }
    guard index == commit.header.blockCount else { return false }
    let isWhole =
      try named != nil
      || (0..<index).allSatisfy {
        try !session.log.storedBlock(n + Int64($0)).isRedacted
      }
    if isWhole {
      try session.log.noteWhole(n)
    } else {
      try session.log.noteAwaited(n, isOutline: false)
    }
    return isWhole
  }

  private func apply(_ events: inout LifeEvents) throws {
    let info = try session.log.commit(ofBlock: n)
    try session.beginTogether(info)
    defer { session.endTogether() }
    var changes: [LifeChanges] = []
    for (b, before) in changed {
      guard try session.log.cells(ofBlock: b) != nil else { continue }
      changes += try session.apply(
        missing: try session.log.content(ofBlock: b),
        since: before,
        info: info,
        block: b
      )
    }
    events.add(try session.settleTogether(changes))
  }
}

extension Session {
  /// Applies the cells of a block that were missing before.
  fileprivate func apply(
    missing content: BlockContent,
    since before: BlockContent?,
    info: CommitInfo,
    block: Int64
  ) throws -> [LifeChanges] {
    let known = Set((before?.sections.flatMap(\.cells) ?? []).map(PlaceInBlock.init))
    var changes: [LifeChanges] = []
    for cell in content.sections.flatMap(\.cells) where !known.contains(PlaceInBlock(cell)) {
      // The birth of an entity refers to its creation, so the values there need no touch.
      if let identity = try identity(cell.entity), identity.born == block,
        try bornCells(of: identity, .now).contains(where: { $0.touch.ordinal == cell.ordinal })
      {
        if identity.isLive, try wasCurrent(cell, of: identity, info: info) {
          try rederive(identity)
        }
        continue
      }
      let place = CellPlace(info: info, block: block, ordinal: cell.ordinal)
      let change = try apply(cell.content, to: cell.entity, time: cell.time, at: place)
      if change != .none { changes.append(change) }
    }
    return changes
  }
}

extension BlockContent {
  /// Returns whether the former content of a block is a part of its whole content, as a redaction
  /// leaves it. Nil is a chunk of a large value, of which a redaction leaves no cells.
  fileprivate static func isPart(_ part: BlockContent?, of whole: BlockContent?) -> Bool {
    guard let part else { return false }
    let cells = Set(whole?.sections.flatMap(\.cells) ?? [])
    let redactions = whole?.redactions ?? []
    return part.sections.allSatisfy { $0.cells.allSatisfy(cells.contains) }
      && part.redactions.allSatisfy(redactions.contains)
      && (part.chunked == nil || part.chunked == whole?.chunked)
  }
}

/// The identity of a cell in its block. The values of a creation share an ordinal, so the key
/// distinguishes them.
private struct PlaceInBlock: Hashable {
  let ordinal: Int
  let key: PropertyKey?

  init(_ cell: Cell) {
    ordinal = cell.ordinal
    key = cell.content.key
  }
}
