import VarveCore

/// What was written of an entity, to be compared with what reading it again gives.
final class WrittenObject {
  /// What was written of a relation.
  enum Link {
    /// Nothing; whether the entity has something there.
    case left(isSet: Bool)
    /// That it was never set.
    case never
    /// The targets, and how many could not be written, because they are not live.
    case targets([WrittenObject], missing: Int)
  }

  let entity: StoredEntity
  let mapping: CompiledMapping
  /// Whether all of it was written, or only what identifies it.
  let isWhole: Bool
  var json: JSON = .null
  /// The relations, in the mapping's order.
  var links: [Link] = []

  init(_ entity: StoredEntity, _ mapping: CompiledMapping, isWhole: Bool) {
    self.entity = entity
    self.mapping = mapping
    self.isWhole = isWhole
  }

  /// Only what identifies an entity: nothing is said of its relations.
  convenience init(short entity: StoredEntity, _ mapping: CompiledMapping) {
    self.init(entity, mapping, isWhole: false)
    links = mapping.links.map { _ in .left(isSet: false) }
  }

  /// The value that identifies the entity, if it has one.
  var identity: Value? { mapping.identification.flatMap { entity[$0.key] } }
}
