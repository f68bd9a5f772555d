import VarveCore
import VarveStore

extension CompiledMapping {
  /// How one relation is made.
  struct Link {
    let relation: MappedRelation
    let policy: RelationPolicy
    /// Where the reference stands in a row; nil for a relation to many.
    let index: Int?
    /// The property of the targets that names the entity back.
    var inverse: Inverse?

    init(_ relation: MappedRelation, policy: RelationPolicy, index: Int?) {
      self.relation = relation
      self.policy = policy
      self.index = index
    }

    /// Whether edges, or properties of the targets, go along with it.
    var hasCompany: Bool { relation.edge != nil || relation.inverse != nil }

    /// Whether what it had and what it gets has to be known, besides the reference.
    var needsMoreThanValues: Bool { hasCompany || policy == .replace }
  }

  /// The way back of a relation.
  final class Inverse {
    let key: PropertyKey
    /// The type of the targets.
    let type: EntityType
    /// How the relation back is made, where it is one to many.
    let link: Link?

    /// The way back of a link, if it has one.
    init?(of link: Link, in target: CompiledMapping) {
      guard let key = link.relation.inverse else { return nil }
      self.key = key
      type = target.mapping.entity
      let back = target.mapping.relations.first { $0.key == key && $0.many != nil }
      self.link = back.map { relation in
        // What goes along with it is declared where the document says it.
        var alone = relation
        alone.inverse = nil
        alone.edge = nil
        return Link(alone, policy: .assign, index: nil)
      }
    }
  }
}
