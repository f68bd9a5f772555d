import VarveCore

/// A mapping prepared for many objects: columns for its properties, with transforms resolved.
final class CompiledMapping {
  let mapping: Mapping
  /// The properties of a row, each once: attributes, then to-one relations.
  let keys: [PropertyKey]
  let columns: [Column]
  var links: [Link]
  /// The indices of the keys in the shape of the entity that was read last.
  private var shape: (shape: EntityShape, indices: [Int?])?
  /// The members of an object that are read.
  let members: MemberTable
  /// The columns whose values are not direct members of the object.
  let deepColumns: [Column]
  /// The column of the identifying value, if there is one.
  let identification: Column?
  /// The identifying property of its entities.
  fileprivate(set) var keyPlace: KeyPlace?
  /// Whether the import records which entities of the type a document names.
  var isWatched = false
  /// Its properties, for the backend's comparisons.
  let likening: Likening.Keys
  /// The indices of the attributes, each once.
  let attributeIndices: [Int]
  /// The indices of the attributes that are inverses of relations.
  var inverseIndices: [Int] = []
  /// The mappings of the links' targets, in order. Mappings may refer to each other, or to
  /// themselves.
  fileprivate(set) var targets: [CompiledMapping] = []

  init(_ mapping: Mapping, _ mappings: Mappings, _ policies: [String: RelationPolicy]) {
    var keys: [PropertyKey] = []
    var indices: [PropertyKey: Int] = [:]
    func index(of key: PropertyKey) -> Int {
      if let index = indices[key] { return index }
      indices[key] = keys.count
      keys.append(key)
      return keys.count - 1
    }
    self.mapping = mapping
    let columns = mapping.attributes.map { attribute in
      Column(attribute, of: mapping, mappings, at: index(of: attribute.key))
    }
    links = mapping.relations.map { relation in
      Link(
        relation,
        policy: policies[relation.key.text] ?? relation.policy,
        index: relation.many == nil ? index(of: relation.key) : nil
      )
    }
    self.columns = columns
    attributeIndices = Array(Set(columns.map(\.index))).sorted()
    deepColumns = columns.filter { !$0.isFlat }
    members = MemberTable(Self.members(columns, mapping.relations))
    self.keys = keys
    likening = Likening.Keys(mapping.entity, keys)
    identification = mapping.identification.flatMap { key in columns.last { $0.key == key } }
  }
}

extension CompiledMapping {
  /// Returns an entity's value for a key of the mapping.
  func value(_ index: Int, of entity: StoredEntity) -> Value? {
    guard entity.others.isEmpty else { return entity[keys[index]] }
    if let shape, shape.shape === entity.shape {
      return shape.indices[index].flatMap { entity.values[$0] }
    }
    shape = (entity.shape, keys.map { entity.shape.index(of: $0) })
    return entity[keys[index]]
  }
}

/// The compiled mappings of one import.
struct CompiledMappings {
  private var byName: [String: CompiledMapping] = [:]
  /// Whether several properties identify entities of one type.
  private(set) var hasTypesWithSeveralKeys = false
  /// Whether documents may state a property in several ways: as the inverse of a relation, and by a
  /// line of its mapping or as another inverse.
  let statesInverses: Bool
  private var identifying: Set<IdentifyingKey> = []

  /// Compiles mappings and everything they refer to.
  ///
  /// - Throws: `VarveError`: `notFound` for a missing mapping, `invalidMapping` for another
  ///   missing name in a mapping.
  init(_ mappings: Mappings, _ policies: [String: RelationPolicy]) throws {
    try mappings.validate()
    try Self.validate(policies, mappings)
    for name in mappings.names {
      guard let mapping = mappings[name] else { continue }
      byName[name] = CompiledMapping(mapping, mappings, policies)
    }
    let compiled = byName
    for mapping in compiled.values {
      mapping.targets = mapping.links.compactMap { compiled[$0.relation.mapping] }
    }
    statesInverses = CompiledInverses(Array(compiled.values)).areStated
    var places: [KeyPlace] = []
    for mapping in all {
      guard let key = mapping.mapping.identification else { continue }
      let type = mapping.mapping.entity
      if let known = places.first(where: { $0.type == type && $0.key == key }) {
        mapping.keyPlace = known
      } else {
        let place = KeyPlace(type, key)
        places.append(place)
        mapping.keyPlace = place
      }
    }
    hasTypesWithSeveralKeys = Set(places.map(\.type)).count < places.count
    identifying = Set(places.map { IdentifyingKey(type: $0.type, key: $0.key) })
  }

  /// Checks that the policies are those of existing relations.
  private static func validate(
    _ policies: [String: RelationPolicy],
    _ mappings: Mappings
  ) throws {
    guard !policies.isEmpty else { return }
    let relations = mappings.names.flatMap { mappings[$0]?.relations.map(\.key.text) ?? [] }
    guard let unknown = Set(policies.keys).subtracting(relations).sorted().first else { return }
    throw VarveError(
      .invalidMapping,
      "no mapping has a relation \"\(unknown)\" for a policy",
      at: JSONPointer.text("policy", unknown),
      remedy: relations.isEmpty
        ? "Leave the policy out."
        : "There are: \(Set(relations).sorted().joined(separator: ", "))."
    )
  }

  /// Returns whether a property identifies the entities of a type, in any mapping.
  func identifies(_ key: PropertyKey, _ type: EntityType) -> Bool {
    identifying.contains(IdentifyingKey(type: type, key: key))
  }

  private struct IdentifyingKey: Hashable {
    let type: EntityType
    let key: PropertyKey
  }

  var all: [CompiledMapping] { byName.values.sorted { $0.mapping.name < $1.mapping.name } }

  subscript(name: String) -> CompiledMapping? { byName[name] }
}
