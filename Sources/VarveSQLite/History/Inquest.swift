import VarveCore

/// Finds the commits whose authors saw members of a family die.
///
/// A commit *saw* an entity die if it erased the entity or something above it, and the entity is
/// dead in its view, which consists of all the commit had seen and the commit itself. It counts
/// unless a later commit that had seen it, and changed a life or an ownership above the entity, saw
/// the entity live.
final class Inquest {
  private struct Deed {
    var info: CommitInfo
    /// The members whose lives or owners the commit changed.
    var touched: Set<Int> = []
    var erased: Set<Int> = []
  }

  private struct Sight {
    var isKnown: [Bool]
    var isDead: [Bool]
  }

  /// The nearest erased entities at or above each member.
  let erased: [[EntityID]]
  private let family: Ancestry
  private let session: Session
  private let owned: [[Int]]
  private var deeds: [Int64: Deed] = [:]
  private var sights: [Int64: Sight] = [:]
  private var reaches: [Int64: (touched: [Bool], erased: [Bool])] = [:]

  init(_ family: Ancestry, in session: Session) {
    self.family = family
    self.session = session
    var owned = [[Int]](repeating: [], count: family.nodes.count)
    for add in family.adds { owned[add.owner].append(add.owned) }
    self.owned = owned
    erased = family.nearestErased()
    for (index, node) in family.nodes.enumerated() {
      for cell in node.lives {
        touch(index, by: cell.touch.info)
        if cell.content == .life(.erased) { deeds[cell.touch.info.n]?.erased.insert(index) }
      }
    }
    for add in family.adds {
      for commit in [add.commit] + add.removals { touch(add.owned, by: commit) }
      for rival in add.rivals { touch(add.owned, by: rival.commit) }
    }
  }

  private func touch(_ node: Int, by info: CommitInfo) {
    deeds[info.n, default: Deed(info: info)].touched.insert(node)
  }

  /// Returns the commits whose authors saw a member die.
  func witnesses(of node: Int) throws -> [CommitInfo] {
    var witnesses: [CommitInfo] = []
    for deed in deeds.values where !deed.erased.isEmpty {
      guard reach(of: deed).erased[node] else { continue }
      guard try isKnownDead(node, to: deed.info) else { continue }
      if try !isSeenLive(node, after: deed) { witnesses.append(deed.info) }
    }
    return witnesses
  }

  /// Returns whether a member is dead in the view of a commit.
  func isKnownDead(_ node: Int, to commit: CommitInfo) throws -> Bool {
    let sight = try sight(of: commit)
    return sight.isKnown[node] && sight.isDead[node]
  }

  private func isSeenLive(_ node: Int, after deed: Deed) throws -> Bool {
    for later in deeds.values where later.info.n != deed.info.n {
      guard reach(of: later).touched[node], try session.log.hasSeen(later.info, deed.info) else {
        continue
      }
      let sight = try sight(of: later.info)
      if sight.isKnown[node], !sight.isDead[node] { return true }
    }
    return false
  }

  /// Returns the members at or below those that a commit touched, and those at or below what it
  /// erased. Every ownership that ever existed counts.
  private func reach(of deed: Deed) -> (touched: [Bool], erased: [Bool]) {
    if let reach = reaches[deed.info.n] { return reach }
    let reach = (touched: below(deed.touched), erased: below(deed.erased))
    reaches[deed.info.n] = reach
    return reach
  }

  private func below(_ nodes: Set<Int>) -> [Bool] {
    var isBelow = [Bool](repeating: false, count: owned.count)
    for node in nodes { isBelow[node] = true }
    var pending = Array(nodes)
    while let next = pending.popLast() {
      for node in owned[next] where !isBelow[node] {
        isBelow[node] = true
        pending.append(node)
      }
    }
    return isBelow
  }

  /// Returns the liveness of the members in the view of a commit.
  private func sight(of commit: CommitInfo) throws -> Sight {
    if let sight = sights[commit.n] { return sight }
    var seen: [Int64: Int64] = [:]
    func includes(_ info: CommitInfo) throws -> Bool {
      if seen[info.chainID] == nil {
        seen[info.chainID] = try session.log.seenSequence(
          of: info.chainID,
          by: commit.chainID,
          commit.summary.id.sequence
        )
      }
      return info.summary.id.sequence <= seen[info.chainID] ?? 0
    }
    let lives = try family.nodes.map { node in
      SeenLife(try node.lives.filter { try includes($0.touch.info) })
    }
    var nodes = lives.map { Liveness.Node(isErased: $0.isErased) }
    var edges: [(owner: Int, owned: Int)] = []
    for add in family.adds where try includes(add.commit) && !add.removals.contains(where: includes)
    {
      let holder = add.link.former.contains(.pairedAtSource) ? add.owner : add.owned
      if try isOutdone(add, lives[holder].rebirth, includes) { continue }
      if let rebirth = lives[add.owned].rebirth, rebirth.isWritten(after: add.order) { continue }
      if let rebirth = lives[add.owner].rebirth, rebirth.isWritten(after: add.order) {
        nodes[add.owned].hasDeadEndOutside = true
      } else {
        edges.append((add.owner, add.owned))
      }
    }
    let liveness = Liveness(nodes: nodes, edges: edges)
    let sight = Sight(isKnown: lives.map(\.isKnown), isDead: liveness.isDead)
    sights[commit.n] = sight
    return sight
  }

  /// Returns whether a commit had seen a greater add of the add's register, of the same life (R28).
  private func isOutdone(
    _ add: Ancestry.Add,
    _ rebirth: CellOrder?,
    _ includes: (CommitInfo) throws -> Bool
  ) throws -> Bool {
    let isFormer = rebirth?.isWritten(after: add.order) ?? false
    return try add.rivals.contains { rival in
      try add.order < rival.order
        && (rebirth?.isWritten(after: rival.order) ?? false) == isFormer
        && includes(rival.commit)
    }
  }
}

/// A life as some of its cells determine it (R15).
private struct SeenLife {
  var isKnown = false
  var isErased = false
  var rebirth: CellOrder?

  init(_ cells: [PlacedCell]) {
    var register: CellOrder?
    for cell in cells {
      guard case .life(let life) = cell.content else { continue }
      let order = cell.touch.order
      switch life {
      case .created:
        isKnown = true
        continue
      case .recreated:
        isKnown = true
        if rebirth.map({ $0 < order }) ?? true { rebirth = order }
      case .erased, .restored: break
      }
      if register.map({ $0 < order }) ?? true {
        register = order
        isErased = life == .erased
      }
    }
  }
}
