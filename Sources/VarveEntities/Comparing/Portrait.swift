import VarveCore

/// The parts of an entity in one state that are compared.
struct Portrait {
  let entity: StoredEntity?
  /// The relations out of the entity, in order.
  let connections: [Connection]
  /// The ownerships into the entity, in order, each with its owner; empty if no commit names one.
  let owners: [Connection]
  let collections: [PropertyKey: [EntityID]]
}

extension Portrait {
  /// Returns the connections of one portrait that another lacks.
  static func missing(_ one: Portrait?, in other: Portrait?) -> [Connection] {
    let present = Set(other?.connections ?? [])
    return one?.connections.filter { !present.contains($0) } ?? []
  }

  /// Whether the relations at the entity come in the order of another portrait.
  func isOrdered(like other: Portrait) -> Bool {
    connections == other.connections && owners == other.owners
  }
}
