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
    /// Whether the relation is the inverse of another one.
    var isInverse = false

    init(_ relation: MappedRelation, policy: RelationPolicy, index: Int?) {
      self.relation = relation
      self.policy = policy
      self.index = index
    }

    /// Whether the relation has an inverse or is one.
    var hasInverse: Bool { relation.inverse != nil || isInverse }

    /// Whether the former and the new targets must be known, besides the reference.
    var needsMoreThanValues: Bool { relation.edge != nil || hasInverse || policy == .replace }
  }

  /// The inverse of a relation.
  final class Inverse {
    let key: PropertyKey
    /// The type of the targets.
    let type: EntityType
    /// The import of the inverse relation, if it is to-many. It adds and removes single elements,
    /// so it merges.
    let link: Link?
    /// The import of the inverse relation, if it is to-one and declares edges.
    let declaringLink: Link?
    private unowned let target: CompiledMapping

    /// Creates the inverse of a link, if it has one.
    init?(of link: Link, in target: CompiledMapping) {
      guard let key = link.relation.inverse else { return nil }
      self.key = key
      self.target = target
      type = target.mapping.entity
      let back = target.mapping.relations.first { $0.key == key }.map { relation in
        // The inverse of an inverse gets what the document states, and nothing else.
        var alone = relation
        alone.inverse = nil
        return Link(alone, policy: .merge, index: nil)
      }
      self.link = back?.relation.many == nil ? nil : back
      declaringLink = back?.relation.many == nil && back?.relation.edge != nil ? back : nil
    }

    /// The inverse of the inverse, if the targets' mapping declares one.
    var opposite: Inverse? { target.links.first { $0.relation.key == key }?.inverse }
  }
}

/// The inverses of all mappings.
struct CompiledInverses {
  /// Whether documents may state a property in several ways: as an inverse, and by a line of its
  /// mapping or as another inverse.
  private(set) var areStated = false

  /// Connects the links of mappings with their inverses.
  init(_ mappings: [CompiledMapping]) {
    var inverses: Set<Place> = []
    for mapping in mappings {
      for (index, target) in mapping.targets.enumerated() {
        guard let inverse = CompiledMapping.Inverse(of: mapping.links[index], in: target) else {
          continue
        }
        mapping.links[index].inverse = inverse
        let isNew = inverses.insert(Place(type: inverse.type, key: inverse.key)).inserted
        areStated = areStated || !isNew
      }
    }
    guard !inverses.isEmpty else { return }
    for mapping in mappings {
      let type = mapping.mapping.entity
      for index in mapping.links.indices {
        let key = mapping.links[index].relation.key
        mapping.links[index].isInverse = inverses.contains(Place(type: type, key: key))
        areStated = areStated || mapping.links[index].isInverse
      }
      mapping.inverseIndices = mapping.attributeIndices.filter {
        inverses.contains(Place(type: type, key: mapping.keys[$0]))
      }
      areStated = areStated || !mapping.inverseIndices.isEmpty
    }
  }

  private struct Place: Hashable {
    let type: EntityType
    let key: PropertyKey
  }
}
