import VarveCore

/// The written parts of an entity, to be compared with the result of reading them again.
final class WrittenObject {
  /// The written form of a relation.
  enum Link {
    /// The relation was not written. `isSet` is whether the entity has a value for it.
    case left(isSet: Bool)
    /// The relation was written as never set.
    case never
    /// The targets, and the number of those that could not be written because they are not live.
    case targets([WrittenObject], missing: Int)
  }

  let entity: StoredEntity
  let mapping: CompiledMapping
  /// Whether the whole entity was written, or only its identifying value.
  let isWhole: Bool
  var json: JSON = .null
  /// The relations, in the mapping's order.
  var links: [Link] = []

  init(_ entity: StoredEntity, _ mapping: CompiledMapping, isWhole: Bool) {
    self.entity = entity
    self.mapping = mapping
    self.isWhole = isWhole
  }

  /// Creates an object with the identifying value only, without relations.
  convenience init(short entity: StoredEntity, _ mapping: CompiledMapping) {
    self.init(entity, mapping, isWhole: false)
    links = mapping.links.map { _ in .left(isSet: false) }
  }

  /// The value that identifies the entity, if it has one.
  var identity: Value? { mapping.identification.flatMap { entity[$0.key] } }
}
