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

extension WrittenObject {
  /// Returns the object as a member that has its name, without the member in which its mapping reads
  /// the name; nil if it has no name. A bare identifying value becomes `true`.
  ///
  /// The object itself is changed to what is read from that.
  func named(by key: String) -> JSON.Member? {
    guard case .object(let content) = json else {
      guard let name = json.name else { return nil }
      json = .string(name)
      return JSON.Member(name: name, value: true)
    }
    guard let name = json[key]?.name else { return nil }
    let rest = content.filter { !$0.name.isSame(as: key) }
    json = .object([JSON.Member(name: key, value: .string(name))] + rest)
    return JSON.Member(name: name, value: .object(rest))
  }
}

extension JSON {
  /// The text of a scalar; nil for any other value.
  fileprivate var name: String? {
    if case .string(let text) = self { return text }
    return isScalar ? text : nil
  }
}

extension [WrittenObject] {
  /// Returns an object whose members are the objects. Those without a name, or with that of an
  /// earlier one, are left out.
  func keyed(by key: String) -> JSON {
    var names: Set<ExactText> = []
    return .object(
      compactMap { object in
        guard let member = object.named(by: key),
          names.insert(ExactText(member.name)).inserted
        else { return nil }
        return member
      }
    )
  }
}
