import VarveCore
import VarveStore

/// Writes entities as the objects their mapping describes.
struct ObjectWriting {
  private let state: any Reading
  private let mappings: Mappings
  private let isWanted: @Sendable (String) -> Bool
  /// The entities that were written, or are being written.
  private var written: Set<EntityID> = []

  /// The deepest nesting of objects and arrays: deeper documents could not be read again.
  static let maximumDepth = JSONReader.maximumDepth

  /// - Parameter isWanted: whether the relation of a JSON key is written.
  init(_ state: any Reading, _ mappings: Mappings, _ isWanted: @escaping @Sendable (String) -> Bool)
  {
    self.state = state
    self.mappings = mappings
    self.isWanted = isWanted
  }

  /// The object of an entity; what was written before shrinks to its identifying value, or to its
  /// attributes where it has none.
  ///
  /// - Parameter depth: how many objects and arrays it stands in.
  mutating func object(_ entity: Entity, _ mapping: Mapping, depth: Int) async throws -> JSON {
    guard depth + mapping.deepestPath <= Self.maximumDepth else { throw Self.tooDeep(entity) }
    var object = ObjectTree()
    guard written.insert(entity.id).inserted else {
      if let attribute = mapping.identifyingAttribute, entity[attribute.key] != nil {
        object.set(attribute.path, json(of: attribute, entity, mapping))
      } else {
        write(mapping.attributes, of: entity, mapping, to: &object)
      }
      return object.json
    }
    write(mapping.attributes, of: entity, mapping, to: &object)
    for relation in mapping.relations where isWanted(relation.path.text) {
      let inner = depth + relation.path.names.count
      object.set(relation.path, try await json(of: relation, entity, depth: inner))
    }
    return object.json
  }

  // MARK: Attributes

  private func write(
    _ attributes: [Attribute],
    of entity: Entity,
    _ mapping: Mapping,
    to object: inout ObjectTree
  ) {
    for attribute in attributes {
      object.set(attribute.path, json(of: attribute, entity, mapping))
    }
  }

  private func json(of attribute: Attribute, _ entity: Entity, _ mapping: Mapping) -> JSON {
    guard let value = entity[attribute.key] else { return .null }
    return outgoing(value, attribute, mapping)?.plainJSON ?? .null
  }

  /// The value by the attribute's own reverse; where that changes nothing, by the default of its kind.
  private func outgoing(_ value: Value, _ attribute: Attribute, _ mapping: Mapping) -> Value? {
    var outgoing = value
    if let reverse = attribute.reverse {
      guard let own = reverse(value) else { return nil }
      outgoing = own
    } else if let transform = attribute.transform {
      guard let own = transform.reversed(value) else { return nil }
      outgoing = own
    }
    guard outgoing == value else { return outgoing }
    let kind = mapping.types[attribute.key] ?? value.kind
    if let transform = mappings.reverseDefaults[kind] { return transform(value) }
    return mappings.defaults[kind].map { $0.reversed(value) } ?? value
  }

  // MARK: Relations

  private mutating func json(
    of relation: MappedRelation,
    _ entity: Entity,
    depth: Int
  ) async throws -> JSON {
    let mapping = try mappings.require(relation.mapping)
    guard let kind = relation.many else {
      guard let id = entity[relation.key]?.referenceValue, let target = try await state.entity(id)
      else { return .null }
      return try await json(of: target, mapping, relation, depth: depth)
    }
    guard let ids = try await state.collection(of: entity.id, relation.key, as: kind) else {
      return .null
    }
    var elements: [JSON] = []
    for target in try await state.entities(ids) {
      guard let target else { continue }
      elements.append(try await json(of: target, mapping, relation, depth: depth + 1))
    }
    return .array(elements)
  }

  /// A target as the relation gives it: as an identifying value, where it has one, or as an object.
  private mutating func json(
    of target: Entity,
    _ mapping: Mapping,
    _ relation: MappedRelation,
    depth: Int
  ) async throws -> JSON {
    if relation.isByID, let attribute = mapping.identifyingAttribute, target[attribute.key] != nil {
      return json(of: attribute, target, mapping)
    }
    return try await object(target, mapping, depth: depth)
  }

  private static func tooDeep(_ entity: Entity) -> VarveError {
    VarveError(
      .invalidArgument,
      "objects and arrays would nest more than \(maximumDepth) deep",
      at: "entity \(entity.id)",
      remedy: "Leave out the relation that leads so deep."
    )
  }
}

extension Mapping {
  /// How many objects its attributes stand in.
  fileprivate var deepestPath: Int { attributes.map(\.path.names.count).max() ?? 1 }
}

/// An object whose members may lie deep: key paths become nested objects.
struct ObjectTree {
  private indirect enum Node {
    case leaf(JSON)
    case tree(ObjectTree)
  }

  private var members: [(name: String, node: Node)] = []

  /// Puts a value at the end of a path. Where a value stands on the way, the object takes its place.
  mutating func set(_ path: KeyPathInJSON, _ json: JSON) { set(path.names[...], json) }

  private mutating func set(_ names: ArraySlice<String>, _ json: JSON) {
    guard let name = names.first else { return }
    let rest = names.dropFirst()
    let index: Int
    if let known = members.firstIndex(where: { $0.name == name }) {
      index = known
    } else {
      index = members.count
      members.append((name, rest.isEmpty ? .leaf(json) : .tree(ObjectTree())))
    }
    if rest.isEmpty {
      members[index].node = .leaf(json)
      return
    }
    var tree = if case .tree(let tree) = members[index].node { tree } else { ObjectTree() }
    tree.set(rest, json)
    members[index].node = .tree(tree)
  }

  var json: JSON {
    .object(
      members.map { name, node in
        switch node {
        case .leaf(let json): JSON.Member(name: name, value: json)
        case .tree(let tree): JSON.Member(name: name, value: tree.json)
        }
      }
    )
  }
}
