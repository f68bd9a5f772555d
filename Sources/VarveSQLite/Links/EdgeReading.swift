import VarveCore

/// Reads relations as edges.
extension Session {
  /// Returns the edges out of an entity. Each target occurs once per relation, at its first
  /// position.
  func edges(_ links: [Link]) throws -> [RelationEdge] {
    var places: [EdgeKey: Int] = [:]
    var edges: [(key: EdgeKey, position: ListPosition, adds: [AddID])] = []
    for link in links {
      let key = EdgeKey(link)
      let place = places[key, default: edges.count]
      if place == edges.count {
        places[key] = place
        edges.append((key, link.position, [try addID(of: link)]))
      } else {
        edges[place].position = min(edges[place].position, link.position)
        edges[place].adds.append(try addID(of: link))
      }
    }
    return edges.map { key, position, adds in
      RelationEdge(
        source: key.source,
        relation: key.relation,
        target: key.target,
        position: position,
        adds: adds,
        isFromFormerLife: key.isFormer
      )
    }
  }

  /// Returns the elements of the adds of one to-many property, in order.
  func elements(_ links: [Link]) throws -> [Element] {
    try inPositionOrder(links).map { link in
      Element(target: link.target, position: link.position, add: try addID(of: link))
    }
  }

  /// Returns the name of an add. An add of the commit being written has no commit in its name,
  /// because the commit has no hash yet.
  func addID(of link: Link) throws -> AddID {
    let commit = try log.commit(ofBlock: link.commit)
    return AddID(
      commit: commit.n == log.pending?.n ? nil : commit.summary.id,
      ordinal: link.ordinal
    )
  }

  /// Returns the links in order of position, then of add.
  func inPositionOrder(_ links: [Link]) throws -> [Link] {
    let orders = try links.map { try order(of: $0) }
    return links.indices.sorted { left, right in
      let (first, second) = (links[left], links[right])
      if first.relation != second.relation { return first.relation < second.relation }
      if first.position != second.position { return first.position < second.position }
      return orders[right].isWritten(after: orders[left])
    }.map { links[$0] }
  }

  /// Returns the links in order of add.
  func inDeclarationOrder(_ links: [Link]) throws -> [Link] {
    let orders = try links.map { try order(of: $0) }
    return links.indices.sorted { orders[$1].isWritten(after: orders[$0]) }.map { links[$0] }
  }
}

private struct EdgeKey: Hashable {
  var source: EntityID
  var relation: Relation
  var target: EntityID
  var isFormer: Bool

  init(_ link: Link) {
    source = link.source
    relation = link.relation
    target = link.target
    isFormer = link.former.contains(.outOfRebirth)
  }
}
