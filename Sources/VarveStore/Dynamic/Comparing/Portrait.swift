import VarveCore

/// The parts of an entity in one state that are compared.
struct Portrait {
  let entity: StoredEntity?
  let connections: [Connection]
  let collections: [PropertyKey: [EntityID]]
}
