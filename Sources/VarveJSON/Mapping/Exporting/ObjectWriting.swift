import VarveCore
import VarveStore

/// Writes entities as the objects that their mapping describes.
struct ObjectWriting {
  private let state: any Reading
  private let mappings: Mappings
  private let compiled: CompiledMappings
  private let isWanted: @Sendable (String) -> Bool
  /// The entities that were written, or are being written.
  private var written: Set<EntityID> = []

  /// The maximum nesting of objects and arrays, because deeper documents could not be read again.
  static let maximumDepth = JSONReader.maximumDepth

  /// Creates a writer of objects.
  ///
  /// - Parameter isWanted: returns whether the relation with a JSON key is written.
  /// - Throws: `VarveError` with code `invalidMapping`.
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

  /// Returns the compiled mapping with a name.
  ///
  /// - Throws: `VarveError` with code `notFound`.
  func mapping(_ name: String) throws -> CompiledMapping {
    let mapping = try mappings.require(name)
    guard let compiled = compiled[mapping.name] else {
      throw VarveError(.notFound, "there is no mapping \"\(name)\"", at: "mapping \"\(name)\"")
    }
    return compiled
  }

  /// Returns the object of an entity.
  ///
  /// - Parameters:
  ///   - relation: the relation of which the entity is a target; nil for a top-level object, which
  ///     is written completely. A target that was written before is reduced to its identifying
  ///     value, or to its attributes if it has none.
  ///   - depth: the number of objects and arrays around it.
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

  /// Returns the object of a target in the form of the relation: an identifying value if the
  /// relation has such values, or an object.
  private mutating func target(
    _ entity: StoredEntity,
    _ relation: MappedRelation,
    depth: Int
  ) async throws -> WrittenObject {
    let mapping = try mapping(relation.mapping)
    if relation.isByID, let object = identity(of: entity, mapping, of: relation) { return object }
    return try await object(entity, mapping, of: relation, depth: depth)
  }

  /// Returns the reduced form of an entity that was written before. If a missing key clears a
  /// property, an object without the key would clear it; a bare value only identifies the entity.
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

  /// Returns the output of the attributes, each with its path.
  private func attributes(of entity: StoredEntity, _ mapping: CompiledMapping) -> [Line] {
    zip(mapping.mapping.attributes, mapping.columns).map { attribute, column in
      let expected = entity[attribute.key]
      guard expected != nil else { return Line(path: attribute.path, json: .null) { $0 == .null } }
      return Line(path: attribute.path, json: outgoing(attribute, entity, mapping)) { json in
        json != .null && (column.qualifier != nil || column.value(json) == expected)
      }
    }
  }

  /// Returns the output of an attribute, or nil if JSON cannot represent it. A missing value is
  /// null and not nil.
  private func outgoing(_ attribute: Attribute, _ entity: StoredEntity, _ mapping: CompiledMapping)
    -> JSON?
  {
    guard let value = entity[attribute.key],
      let json = outgoing(value, attribute, mapping.mapping)?.plainJSON, json != .null
    else { return nil }
    return json
  }

  /// Returns the value converted by the attribute's own reverse or, if that changes nothing, by the
  /// default of its kind.
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

  /// Returns an entity as its identifying value in the form that a relation reads, or nil if it has
  /// none.
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

  /// Returns the identifying value that a relation reads from a bare value.
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
      let inner = relation.keyedBy == nil ? depth : depth + 1
      let object = try await self.target(target, relation, depth: inner)
      let json = relation.keyedBy.map { [object].keyed(by: $0) } ?? object.json
      return (.targets([object], missing: 0), json)
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
      try await state.reader.elements(of: entity.id, key: relation.key).map(\.target)
    }
    // Merging keeps elements that are no longer live; other policies remove them.
    let missing = Set(elements).subtracting(objects.map(\.entity.id))
    let count = relation.policy == .merge ? 0 : missing.count
    let json = relation.keyedBy.map { objects.keyed(by: $0) } ?? .array(objects.map(\.json))
    return (.targets(objects, missing: count), json)
  }

  /// Returns whether an entity has a value for the relation.
  private func isSet(_ relation: MappedRelation, of entity: StoredEntity) async throws -> Bool {
    guard let kind = relation.many else { return entity[relation.key] != nil }
    return try await state.collection(of: entity.id, relation.key, as: kind) != nil
  }

  /// Returns the output of a relation, with a check that reading it gives the same.
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
      remedy: "Omit the relation that leads so deep.",
      entity: entity.id
    )
  }
}

extension ObjectWriting {
  /// The output of one line of a mapping for an entity.
  struct Line {
    let path: KeyPathInJSON
    /// The JSON, or nil if JSON cannot represent the value.
    let json: JSON?
    /// Returns whether the line reads the same value from a JSON.
    var accepts: (JSON) -> Bool = { _ in true }
  }
}

extension CompiledMapping {
  /// The number of objects around its attributes.
  fileprivate var deepestPath: Int { mapping.attributes.map(\.path.names.count).max() ?? 1 }
}

extension ObjectTree {
  /// Creates an object from the output of lines. If several lines read one path, it has the first
  /// output that all of them read correctly.
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
