import VarveCore

/// Reads single entities of a past state from their own histories, without its tables.
extension Session {
  /// Returns the identity of an identifier at a moment, or nil if no commit names it.
  ///
  /// - Complexity: O(cells of the lives and ownerships of the entity and of everything that owns
  ///   it).
  func pastIdentity(_ id: EntityID, _ filter: MomentFilter) throws -> Identity? {
    guard var identity = try identity(id) else { return nil }
    let state = try reconstructLife(identity, filter.history)
    identity.setLife(of: state, type: state.type.flatMap { catalogue.typeNumbers[$0] })
    let (isDead, isBelow) = try liveness(of: id, filter)
    if isDead { identity.flags.insert(.dead) }
    if isBelow { identity.flags.insert(.below) }
    return identity
  }

  /// Returns a live entity of a moment, or nil.
  ///
  /// - Complexity: as ``pastIdentity(_:_:)``, plus O(properties × log touches) and the cells that
  ///   hold.
  func pastEntity(_ id: EntityID, _ filter: MomentFilter) throws -> StoredEntity? {
    guard let was = try pastIdentity(id, filter), was.isLive, let now = try identity(id) else {
      return nil
    }
    return entity(try reconstruct(now, filter.history), of: was)
  }

  /// Returns the to-many properties that an entity had at a moment.
  func collections(of id: EntityID, _ filter: MomentFilter) throws -> [PropertyKey] {
    guard let identity = try identity(id) else { return [] }
    let state = try reconstruct(identity, filter.history)
    return state.properties.filter(\.value.isCollection).keys.sorted()
  }

  /// Returns whether an entity is dead at a moment, and whether it is below an erased one.
  ///
  /// Liveness depends on owners only. So everything that owns the entity, at any distance, is a
  /// part of the graph that decides it.
  private func liveness(
    of id: EntityID,
    _ filter: MomentFilter
  ) throws -> (isDead: Bool, isBelow: Bool) {
    let region = OwnedRegion.Filter.past(filter)
    var ids = [id]
    var numbers = [id: 0]
    var nodes: [Liveness.Node] = []
    var edges: [(owner: Int, owned: Int)] = []
    while nodes.count < ids.count {
      let next = nodes.count
      nodes.append(
        Liveness.Node(isErased: try region.isErased(ids[next], try identity(ids[next]), self))
      )
      for link in try links(to: ids[next], kind: .owns) where try region.stands(link, self) {
        guard try !region.isGhost(link, self) else {
          nodes[next].hasDeadEndOutside = true
          continue
        }
        let owner = numbers[link.source] ?? ids.count
        if owner == ids.count {
          numbers[link.source] = owner
          ids.append(link.source)
        }
        edges.append((owner, next))
      }
    }
    let liveness = Liveness(nodes: nodes, edges: edges)
    return (liveness.isDead[0], liveness.isBelow[0])
  }

  /// Returns the entity that was reconstructed.
  func entity(_ state: Reconstruction, of identity: Identity) -> StoredEntity? {
    guard let type = state.type else { return nil }
    let shape = identity.type.map { catalogue.shape(ofType: $0) } ?? .empty
    var values = [Value?](repeating: nil, count: shape.keys.count)
    var others: [PropertyKey: StoredEntity.Property] = [:]
    for (key, property) in state.properties {
      guard let value = property.value else { continue }
      if let index = shape.index(of: key),
        shape.semanticTypes[index].isSame(as: property.semanticType)
      {
        values[index] = value
      } else {
        others[key] = StoredEntity.Property(value, semanticType: property.semanticType)
      }
    }
    return StoredEntity(
      id: identity.id,
      type: type,
      datestamp: state.datestamp,
      modified: state.modified,
      shape: shape,
      values: values,
      others: others,
      number: identity.row
    )
  }
}

extension Identity {
  /// Takes the register of a reconstructed life. Whether owners kill the entity is not known yet.
  mutating func setLife(of state: Reconstruction, type: Int64?) {
    flags = []
    if state.type != nil { flags.insert(.known) }
    if state.isErased { flags.insert(.erased) }
    if state.rebirth != nil { flags.insert(.reborn) }
    self.type = type
    born = state.creationBlock
  }
}
