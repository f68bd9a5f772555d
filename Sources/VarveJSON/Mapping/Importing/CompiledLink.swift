import VarveCore
import VarveStore

extension CompiledMapping {
  /// The import of one relation.
  struct Link {
    let relation: MappedRelation
    let policy: RelationPolicy
    /// The index of the reference in a row; nil for a to-many relation.
    let index: Int?
    /// The property of the targets that refers back to the entity.
    var inverse: Inverse?

    init(_ relation: MappedRelation, policy: RelationPolicy, index: Int?) {
      self.relation = relation
      self.policy = policy
      self.index = index
    }

    /// Whether the relation also changes edges or properties of the targets.
    var hasCompany: Bool { relation.edge != nil || relation.inverse != nil }

    /// Whether the former and the new targets must be known, besides the reference.
    var needsMoreThanValues: Bool { hasCompany || policy == .replace }
  }

  /// The inverse of a relation.
  final class Inverse {
    let key: PropertyKey
    /// The type of the targets.
    let type: EntityType
    /// The import of the inverse relation, if it is to-many.
    let link: Link?

    /// Creates the inverse of a link, if it has one.
    init?(of link: Link, in target: CompiledMapping) {
      guard let key = link.relation.inverse else { return nil }
      self.key = key
      type = target.mapping.entity
      let back = target.mapping.relations.first { $0.key == key && $0.many != nil }
      self.link = back.map { relation in
        // Its edges and inverse are added for the relations that the document contains.
        var alone = relation
        alone.inverse = nil
        alone.edge = nil
        return Link(alone, policy: .assign, index: nil)
      }
    }
  }
}
