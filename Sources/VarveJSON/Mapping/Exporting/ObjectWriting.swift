import VarveCore
import VarveStore

/// Writes entities as the objects their mapping describes.
struct ObjectWriting {
  private let state: any Reading
  private let mappings: Mappings
  private let compiled: CompiledMappings
  private let isWanted: @Sendable (String) -> Bool
  /// The entities that were written, or are being written.
  private var written: Set<EntityID> = []

  /// The deepest nesting of objects and arrays: deeper documents could not be read again.
  static let maximumDepth = JSONReader.maximumDepth

  /// - Parameter isWanted: whether the relation of a JSON key is written.
  /// - Throws: ``VarveError``: `invalidMapping`.
  init(
    _ state: any Reading,
    _ mappings: Mappings,
    _ isWanted: @escaping @Sendable (String) -> Bool
  ) throws {
    self.state = state
    self.mappings = mappings
    self.isWanted = isWanted
    compiled = try CompiledMappings(mappings, [:])
  }

  /// The mapping of a name, ready for use.
  ///
  /// - Throws: ``VarveError`` with code `notFound`.
  func mapping(_ name: String) throws -> CompiledMapping {
    let mapping = try mappings.require(name)
    guard let compiled = compiled[mapping.name] else {
      throw VarveError(.notFound, "there is no mapping \"\(name)\"", at: "mapping \"\(name)\"")
    }
    return compiled
  }

  /// The object of an entity.
  ///
  /// - Parameters:
  ///   - relation: the relation it is a target of; nil where it stands by itself, and so is written
  ///     whole. A target that was written before shrinks to what identifies it, or to its
  ///     attributes where nothing does.
  ///   - depth: how many objects and arrays it stands in.
  mutating func object(
    _ entity: StoredEntity,
    _ mapping: CompiledMapping,
    of relation: MappedRelation? = nil,
    depth: Int
  ) async throws -> WrittenObject {
    guard depth + mapping.deepestPath <= Self.maximumDepth else { throw Self.tooDeep(entity) }
    let isNew = written.insert(entity.id).inserted
    guard isNew || relation == nil else { return short(entity, mapping, of: relation) }
    let object = WrittenObject(entity, mapping, isWhole: true)
    var lines = attributes(of: entity, mapping)
    for link in mapping.links {
      let line = link.relation
      guard isWanted(line.path.text) else {
        object.links.append(.left(isSet: try await isSet(line, of: entity)))
        continue
      }
      let inner = depth + line.path.names.count
      let (said, json) = try await targets(of: line, entity, depth: inner)
      object.links.append(said)
      lines.append(self.line(line, said, json))
    }
    object.json = ObjectTree(lines).json
    return object
  }

  /// The same as the relation gives it: as an identifying value, where it has one, or as an object.
  private mutating func target(
    _ entity: StoredEntity,
    _ relation: MappedRelation,
    depth: Int
  ) async throws -> WrittenObject {
    let mapping = try mapping(relation.mapping)
    if relation.isByID, let object = identity(of: entity, mapping, of: relation) { return object }
    return try await object(entity, mapping, of: relation, depth: depth)
  }

  /// What was written before. Where a missing key clears, an object without it would; a value alone
  /// says nothing but which entity it is.
  private func short(
    _ entity: StoredEntity,
    _ mapping: CompiledMapping,
    of relation: MappedRelation?
  ) -> WrittenObject {
    if mapping.mapping.clearsMissing, let object = identity(of: entity, mapping, of: relation) {
      return object
    }
    let object = WrittenObject(short: entity, mapping)
    var lines = attributes(of: entity, mapping)
    if let attribute = mapping.mapping.identifyingAttribute, entity[attribute.key] != nil {
      lines = [Line(path: attribute.path, json: outgoing(attribute, entity, mapping))]
    }
    object.json = ObjectTree(lines).json
    return object
  }

  // MARK: Attributes

  /// What attributes give, each at its path.
  private func attributes(of entity: StoredEntity, _ mapping: CompiledMapping) -> [Line] {
    zip(mapping.mapping.attributes, mapping.columns).map { attribute, column in
      let expected = entity[attribute.key]
      guard expected != nil else { return Line(path: attribute.path, json: .null) { $0 == .null } }
      return Line(path: attribute.path, json: outgoing(attribute, entity, mapping)) { json in
        json != .null && (column.qualifier != nil || column.value(json) == expected)
      }
    }
  }

  /// What an attribute gives; nil for what JSON cannot say, which is no null.
  private func outgoing(_ attribute: Attribute, _ entity: StoredEntity, _ mapping: CompiledMapping)
    -> JSON?
  {
    guard let value = entity[attribute.key],
      let json = outgoing(value, attribute, mapping.mapping)?.plainJSON, json != .null
    else { return nil }
    return json
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

  /// An entity as its identifying value, as a relation reads it; nil where it has none.
  private func identity(
    of entity: StoredEntity,
    _ mapping: CompiledMapping,
    of relation: MappedRelation?
  ) -> WrittenObject? {
    guard let attribute = mapping.mapping.identifyingAttribute,
      let plain = outgoing(attribute, entity, mapping)
    else { return nil }
    let object = WrittenObject(short: entity, mapping)
    object.json = plain
    // The relation may have a transform of its own.
    guard let transform = relation?.transform,
      let reversed = Value(plain: plain).flatMap(transform.reversed)?.plainJSON,
      reads(reversed, relation, mapping) == entity[attribute.key]
    else { return object }
    object.json = reversed
    return object
  }

  /// The identifying value that a relation reads where only such a value stands.
  private func reads(_ json: JSON, _ relation: MappedRelation?, _ mapping: CompiledMapping)
    -> Value?
  {
    var drafting = Drafting()
    let draft = try? drafting.draft(json, mapping, at: DocumentPath(""), by: relation)
    return draft?.naturalKey?.value
  }

  // MARK: Relations

  private mutating func targets(
    of relation: MappedRelation,
    _ entity: StoredEntity,
    depth: Int
  ) async throws -> (WrittenObject.Link, JSON) {
    guard let kind = relation.many else {
      guard let id = entity[relation.key]?.referenceValue else {
        let isSet = entity[relation.key] != nil
        return (isSet ? .targets([], missing: 1) : .never, .null)
      }
      guard let target = try await state.entity(id) else {
        return (.targets([], missing: 1), .null)
      }
      let object = try await self.target(target, relation, depth: depth)
      return (.targets([object], missing: 0), object.json)
    }
    guard let ids = try await state.collection(of: entity.id, relation.key, as: kind) else {
      return (.never, .null)
    }
    var objects: [WrittenObject] = []
    for target in try await state.entities(ids) {
      guard let target else { continue }
      objects.append(try await self.target(target, relation, depth: depth + 1))
    }
    let elements = try await state.reading { state in
      try await state.backend.elements(of: entity.id, key: relation.key).map(\.target)
    }
    // Merging keeps what is not there any more; all else takes it out.
    let missing = Set(elements).subtracting(objects.map(\.entity.id))
    let count = relation.policy == .merge ? 0 : missing.count
    return (.targets(objects, missing: count), .array(objects.map(\.json)))
  }

  /// Whether an entity has something there.
  private func isSet(_ relation: MappedRelation, of entity: StoredEntity) async throws -> Bool {
    guard let kind = relation.many else { return entity[relation.key] != nil }
    return try await state.collection(of: entity.id, relation.key, as: kind) != nil
  }

  /// What a relation gives, and what it reads as the same.
  private func line(_ relation: MappedRelation, _ said: WrittenObject.Link, _ json: JSON) -> Line {
    guard relation.many == nil, case .targets(let targets, _) = said, let target = targets.first
    else { return Line(path: relation.path, json: json) { $0 == json } }
    return Line(path: relation.path, json: json) { other in
      other == json
        || other.isScalar && reads(other, relation, target.mapping) == target.identity
    }
  }

  private static func tooDeep(_ entity: StoredEntity) -> VarveError {
    VarveError(
      .invalidArgument,
      "objects and arrays would nest more than \(maximumDepth) deep",
      at: "entity \(entity.id)",
      remedy: "Leave out the relation that leads so deep."
    )
  }
}

extension ObjectWriting {
  /// What one line of a mapping gives for an entity.
  struct Line {
    let path: KeyPathInJSON
    /// Nil for what JSON cannot say.
    let json: JSON?
    /// Whether the line reads the same from it.
    var accepts: (JSON) -> Bool = { _ in true }
  }
}

extension CompiledMapping {
  /// How many objects its attributes stand in.
  fileprivate var deepestPath: Int { mapping.attributes.map(\.path.names.count).max() ?? 1 }
}

extension ObjectTree {
  /// An object of what lines give. Several may read one path: then what the first of them gives that
  /// all of them read right.
  init(_ lines: [ObjectWriting.Line]) {
    let byPath = Dictionary(grouping: lines, by: \.path)
    for line in lines {
      guard let group = byPath[line.path], group.count > 1 else {
        if let json = line.json { set(line.path, json) }
        continue
      }
      let given = group.compactMap(\.json)
      let right = given.first { json in group.allSatisfy { $0.accepts(json) } }
      if let json = right ?? given.first(where: { $0 != .null }) ?? given.first {
        set(line.path, json)
      }
    }
  }
}
