import VarveCore

/// Removes from commits, as they are sent, the cells on which the present does not depend.
///
/// These are the cells that a compaction up to the same moment would fold: see ``SupersededCells``.
/// Here they are determined one cell at a time, because the commits that follow are not known.
struct Outliner {
  private let session: Session
  private let horizon: Horizon
  /// The greatest sequence number of each chain below the horizon.
  private let bounds: [Int64: Int64]
  /// The entities whose every write is needed.
  private let unseenDead: Set<EntityID>

  init(_ session: Session, _ horizon: Horizon) throws {
    self.session = session
    self.horizon = horizon
    bounds = try session.log.bounds(of: horizon.frontier)
    unseenDead = Set(try session.unseenDeaths().map(\.entity))
  }

  /// Returns the commit without the cells that are superseded at the horizon.
  ///
  /// - Complexity: O(cells × log history); one seek for an entity that was not written to since its
  ///   creation.
  func outline(_ commit: Commit, n: Int64) throws -> Commit {
    let info = try session.log.commit(ofBlock: n)
    guard isBelow(info) else { return commit }
    var places: [PropertyKey: [Int]] = [:]
    try commit.forEachContent { content, _ in
      for section in content.sections {
        switch section {
        case .creations(let table): try add(table, info, &places)
        case .cells(let cells):
          for cell in cells {
            guard let key = cell.content.key, !unseenDead.contains(cell.entity),
              let identity = try session.identity(cell.entity),
              try isSuperseded(cell, key, identity, info)
            else { continue }
            places[key, default: []].append(cell.ordinal)
          }
        }
      }
    }
    guard !places.isEmpty else { return commit }
    let parts = places.map { Redaction.Part(key: $0.key, ordinals: OrdinalSet($0.value)) }
    return try commit.outlined(without: RedactedCells(parts))
  }

  private func add(
    _ table: Creations,
    _ info: CommitInfo,
    _ places: inout [PropertyKey: [Int]]
  ) throws {
    for row in table.ids.indices where !unseenDead.contains(table.ids[row]) {
      guard let identity = try session.identity(table.ids[row]), let number = identity.row,
        try session.touches.isTouched(row: number)
      else { continue }
      var cells: [Cell] = []
      table.appendCells(ofRow: row, to: &cells)
      for cell in cells {
        guard let key = cell.content.key, try isSuperseded(cell, key, identity, info) else {
          continue
        }
        places[key, default: []].append(cell.ordinal)
      }
    }
  }

  /// Returns whether another cell of the property is greater and written later, and the commit of a
  /// later cell had seen this cell's commit.
  private func isSuperseded(
    _ cell: Cell,
    _ key: PropertyKey,
    _ identity: Identity,
    _ info: CommitInfo
  ) throws -> Bool {
    guard let row = identity.row, let number = session.catalogue.keyNumbers[key] else {
      return false
    }
    let time = cell.time ?? info.summary.time
    guard time <= horizon.time else { return false }
    let order = CellOrder(time: time, commit: info.order, ordinal: cell.ordinal)
    var (isHidden, isSeen) = (false, false)
    func weigh(_ other: Touch) throws {
      guard other.order.isWritten(after: order), isBelow(other.info) else { return }
      isHidden = isHidden || order < other.order
      if !isSeen {
        isSeen = try other.info.n == info.n || session.log.hasSeen(other.info, info)
      }
    }
    try session.forEachTouch(row: row, key: number, notAfter: horizon.time) { touch in
      try weigh(touch)
      return !(isHidden && isSeen)
    }
    if !(isHidden && isSeen) {
      for born in try session.bornCells(of: identity, .now)
      where born.content.key == key && born.touch.time <= horizon.time {
        try weigh(born.touch)
      }
    }
    return isHidden && isSeen
  }

  private func isBelow(_ info: CommitInfo) -> Bool {
    bounds[info.chainID].map { info.summary.id.sequence <= $0 } ?? false
  }
}
