package import VarveCore

/// The state that a set of commits describes, as ``Fold`` computes it.
package struct FoldedState: Sendable {
  /// An entity that a commit names.
  package struct Entity: Sendable {
    package var id: EntityID
    /// The type, or nil if the entity has not been created yet.
    package var type: EntityType?
    package var datestamp: HybridTime = .distantPast
    package var modified: HybridTime = .distantPast
    /// The position of the creation in the order of creations.
    package var creation: CellOrder?
    package var isErased = false
    package var isDead = false
    package var properties: [PropertyKey: Property] = [:]
    /// Every property cell and life cell, greatest first.
    package var history: [HistoryCell] = []
  }

  package struct Property: Hashable, Sendable {
    /// The value; nil for a to-many relation, whose elements are edges.
    package var value: Value?
    package var semanticType: String
    package var order: CellOrder

    package static func == (left: Property, right: Property) -> Bool {
      left.value == right.value && left.order == right.order
        && left.semanticType.isSame(as: right.semanticType)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(value)
      hasher.combine(order)
      semanticType.utf8.hashBytes(into: &hasher)
    }
  }

  package struct HistoryCell: Sendable {
    package var content: Cell.Content
    package var order: CellOrder
    package var commit: CommitID
  }

  /// An edge that exists: an add that was not removed.
  package struct Edge: Hashable, Sendable {
    package var source: EntityID
    package var relation: Relation
    package var target: EntityID
    package var position: ListPosition
    package var order: CellOrder
    package var id: AddID
    /// Whether the source was re-created since; for liveness the edge then comes from an erased
    /// owner.
    package var isFromFormerLife = false
    /// The pairing of the edge, if it has one.
    package var pairing: Pairing?
  }

  package internal(set) var entities: [EntityID: Entity] = [:]
  /// The greatest edge of each register, and whether it was removed (R28).
  package internal(set) var pairs: [PairRegister: (edge: Edge, isRemoved: Bool)] = [:]
  /// In order of source, relation, position, add.
  package internal(set) var edges: [Edge] = []
  /// The adds to, and removals from, the to-many properties of each entity, unordered.
  package internal(set) var members: [EntityID: [HistoryCell]] = [:]

  /// Returns whether an entity is live: known and not dead.
  package func isLive(_ id: EntityID) -> Bool {
    guard let entity = entities[id] else { return false }
    return entity.type != nil && !entity.isDead
  }

  /// The live entities, in creation order.
  package var live: [Entity] {
    entities.values.filter { $0.type != nil && !$0.isDead }.sorted { left, right in
      if left.datestamp != right.datestamp { return left.datestamp < right.datestamp }
      guard let first = left.creation, let second = right.creation else { return false }
      return second.isWritten(after: first)
    }
  }
}
