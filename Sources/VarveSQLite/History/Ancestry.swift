import VarveCore

/// Some entities and everything that ever owned them, directly or indirectly.
struct Ancestry {
  struct Node {
    var id: EntityID
    var identity: Identity?
    var lives: [PlacedCell]
  }

  /// An ownership edge that was added, whether or not it still counts.
  struct Add {
    var owner: Int
    var owned: Int
    var link: Link
    var order: CellOrder
    var commit: CommitInfo
    /// The commits that removed the add.
    var removals: [CommitInfo]
    /// The other adds of its register.
    var rivals: [Rival]
  }

  /// A paired add that competes with another in a register (R28).
  struct Rival {
    var order: CellOrder
    var commit: CommitInfo
  }

  private(set) var nodes: [Node] = []
  private(set) var adds: [Add] = []
  /// The entities the ancestry was made for.
  private(set) var suspected: [Int] = []
  private var numbers: [EntityID: Int] = [:]

  private init() {}

  init(of ids: [EntityID], in session: Session) throws {
    for id in ids { suspected.append(try number(id, session)) }
    var next = 0
    while next < nodes.count {
      for link in try session.links(to: nodes[next].id, kind: .owns) {
        adds.append(
          Add(
            owner: try number(link.source, session),
            owned: next,
            link: link,
            order: try session.order(of: link),
            commit: try session.log.commit(ofBlock: link.commit),
            removals: link.removed == nil ? [] : try session.removals(of: link),
            rivals: link.pairKey == 0 ? [] : try session.rivals(of: link)
          )
        )
      }
      next += 1
    }
  }

  private mutating func number(_ id: EntityID, _ session: Session) throws -> Int {
    if let number = numbers[id] { return number }
    let identity = try session.identity(id)
    let lives = try identity.map { try session.lifeCells(of: $0, .now) } ?? []
    numbers[id] = nodes.count
    nodes.append(Node(id: id, identity: identity, lives: lives))
    return nodes.count - 1
  }

  /// Returns the parts that no ownership ever connected.
  func families() -> [Ancestry] {
    var roots = Array(nodes.indices)
    func root(_ node: Int) -> Int {
      var node = node
      while roots[node] != node {
        roots[node] = roots[roots[node]]
        node = roots[node]
      }
      return node
    }
    for add in adds { roots[root(add.owner)] = root(add.owned) }
    var families: [Ancestry] = []
    var places: [Int: Int] = [:]
    var local = [Int](repeating: 0, count: nodes.count)
    for node in nodes.indices {
      let family = places[root(node), default: families.count]
      if family == families.count { families.append(Ancestry()) }
      places[root(node)] = family
      local[node] = families[family].nodes.count
      families[family].nodes.append(nodes[node])
    }
    for var add in adds {
      let family = places[root(add.owned)] ?? 0
      add.owner = local[add.owner]
      add.owned = local[add.owned]
      families[family].adds.append(add)
    }
    for node in suspected { families[places[root(node)] ?? 0].suspected.append(local[node]) }
    return families
  }

  /// Returns the nearest erased entities at or above each member, in order of identifier. Former
  /// lives of owners count.
  ///
  /// - Complexity: O(members + adds + result).
  func nearestErased() -> [[EntityID]] {
    var owned = [[Int]](repeating: [], count: nodes.count)
    var starts: [(erased: Int, first: Int)] = []
    for (index, node) in nodes.enumerated() where node.isErased { starts.append((index, index)) }
    for add in adds where add.link.isStanding && !add.link.former.contains(.intoRebirth) {
      if add.link.former.contains(.outOfRebirth) {
        if !nodes[add.owned].isErased { starts.append((add.owner, add.owned)) }
      } else if !nodes[add.owned].isErased {
        owned[add.owner].append(add.owned)
      }
    }
    var nearest = [[Int]](repeating: [], count: nodes.count)
    for (erased, first) in starts {
      var pending = [first]
      while let next = pending.popLast() {
        guard nearest[next].last != erased else { continue }
        nearest[next].append(erased)
        pending += owned[next]
      }
    }
    return nearest.map { Set($0).map { nodes[$0].id }.sorted() }
  }
}

extension Ancestry.Node {
  fileprivate var isErased: Bool { identity?.flags.contains(.erased) ?? false }
}

extension Session {
  /// Returns the other adds of a link's register.
  fileprivate func rivals(of link: Link) throws -> [Ancestry.Rival] {
    try register(of: link).compactMap { other in
      guard other.commit != link.commit || other.ordinal != link.ordinal else { return nil }
      return .init(order: try order(of: other), commit: try log.commit(ofBlock: other.commit))
    }
  }

  /// Returns the commits that removed an add.
  fileprivate func removals(of link: Link) throws -> [CommitInfo] {
    let statement = try connection.ownStatement(
      "SELECT b FROM varve_unlink WHERE add_b = ? AND add_ordinal = ?"
    )
    statement.bind(1, link.commit)
    statement.bind(2, Int64(link.ordinal))
    var removals: [CommitInfo] = []
    while try statement.step() { removals.append(try log.commit(ofBlock: statement.int(0))) }
    return removals
  }
}
