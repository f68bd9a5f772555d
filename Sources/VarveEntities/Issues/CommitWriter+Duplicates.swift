import VarveCore

/// Merges duplicates. The kept entity takes over values of the others and replaces them in
/// references and relations; then the others are erased.
///
/// The commit also states that the kept entity lives, and states the references and relations of
/// others to it, also those that it does not change. So if another replica keeps one of the others
/// meanwhile, the entity that the later merge kept lives everywhere, and others refer to it. The death
/// of the other one, which nobody decided, is a conflict.
extension CommitWriter {
  func mergeDuplicates(
    _ duplicates: [EntityID],
    into kept: EntityID,
    _ policy: DuplicatePolicy,
    at time: HybridTime?
  ) async throws -> DuplicateMerge {
    var seen: Set<EntityID> = [kept]
    let others = duplicates.filter { seen.insert($0).inserted }
    var merge = DuplicateMerge(kept: kept)
    let entities = try await requireSameType([kept] + others)
    guard !others.isEmpty else { return merge }
    let doubles = Doubles(ids: Set(others), kept: kept)
    let time = time ?? defaultTime
    for entity in entities { _ = try await timeInLife(of: entity.id, at: time) }
    var taken = try await takeProperties(entities, policy, doubles, at: time)
    if policy != .keep { taken.formUnion(try await takeElements(of: others, doubles, at: time)) }
    merge.properties = taken.sorted()
    let stated = try await relations(to: kept, doubles)
    merge.referenceCount = try await moveReferences(doubles, at: time)
    for id in others {
      merge.referenceCount += try await moveElements(naming: id, to: kept, at: time)
      merge.relationCount += try await moveEdges(of: id, doubles, at: time)
    }
    try await moveElements(naming: kept, to: kept, at: time)
    for edge in stated { try await restate(edge, at: time) }
    merge.erased = try await erase(others, isStrict: true, at: time)
    let lifeTime = try await lifeTime(of: kept, at: time)
    try await apply(.life(.restored), to: kept, at: lifeTime)
    return merge
  }

  private func requireSameType(_ ids: [EntityID]) async throws -> [StoredEntity] {
    var entities: [StoredEntity] = []
    for id in ids {
      guard let entity = try await commit.entity(id) else {
        throw try await commit.absence(of: id)
      }
      entities.append(entity)
    }
    guard let other = entities.first(where: { $0.type != entities[0].type }) else {
      return entities
    }
    throw VarveError(
      .typeMismatch,
      "the duplicate \"\(other.id)\" is a \"\(other.type)\", not a \"\(entities[0].type)\"",
      at: "entity \(other.id)",
      remedy: "Merge entities of one type.",
      entity: other.id
    )
  }

  // MARK: What it takes

  /// Writes to the first entity the values of the others that the policy selects. Returns their
  /// keys.
  private func takeProperties(
    _ entities: [StoredEntity],
    _ policy: DuplicatePolicy,
    _ doubles: Doubles,
    at time: HybridTime?
  ) async throws -> Set<PropertyKey> {
    var best: [PropertyKey: (property: StoredEntity.Property, time: HybridTime, of: EntityID)] = [:]
    for entity in entities {
      let isOwn = entity.id == doubles.kept
      let times = policy == .newest ? try await commit.times(of: entity) : [:]
      for (key, property) in entity.properties {
        let written = times[key] ?? entity.datestamp
        if let present = best[key], policy != .newest || present.time >= written { continue }
        guard policy != .keep || isOwn else { continue }
        best[key] = (property, written, entity.id)
      }
    }
    var taken: Set<PropertyKey> = []
    for (key, (property, _, source)) in best.sorted(by: { $0.key < $1.key })
    where source != doubles.kept {
      if try await commit.isCollection(doubles.kept, key) { continue }
      let moved = StoredEntity.Property(
        doubles.moved(property.value) ?? property.value,
        semanticType: property.semanticType
      )
      if entities[0].property(key) == moved { continue }
      let change = PropertyChange(key: key, property: moved)
      let isNew = try await commit.pairedEdges(of: doubles.kept, key: key).isEmpty
      let begin = try await beginning(of: key, of: source, from: time)
      if try await write(change, to: doubles.kept, at: begin) { taken.insert(key) }
      if isNew { try await takePairs(key, of: entities, moved, doubles) }
    }
    return taken
  }

  /// Pairs a reference that the first entity took over in the same way as it was paired before.
  private func takePairs(
    _ key: PropertyKey,
    of entities: [StoredEntity],
    _ property: StoredEntity.Property,
    _ doubles: Doubles
  ) async throws {
    let other = EntityID(referenceIn: property.value)
    for entity in entities where entity.id != doubles.kept {
      let pairs = try await commit.pairedEdges(of: entity.id, key: key)
      guard !pairs.isEmpty else { continue }
      for pair in pairs {
        let edge = PairedEnds(pair.relation, pair.pairing, of: doubles.kept)
        try await settle(edge, to: other, from: nil) { _ in false }
      }
      return
    }
  }

  /// Adds the elements of the others' to-many properties that the first entity lacks. Returns the
  /// keys.
  private func takeElements(
    of others: [EntityID],
    _ doubles: Doubles,
    at time: HybridTime?
  ) async throws -> Set<PropertyKey> {
    var taken: Set<PropertyKey> = []
    for id in others {
      let members = try await commit.edges(from: id, in: nil).filter {
        $0.relation.kind == .member
      }
      for key in Set(members.map(\.relation.name)).sorted() {
        guard try await commit.isCollection(id, key) else { continue }
        guard try await commit.entity(doubles.kept)?[key] == nil else { continue }
        let isCollection = try await commit.isCollection(doubles.kept, key)
        var present = Set(
          isCollection
            ? try await commit.elements(of: doubles.kept, key: key).map(\.target) : []
        )
        let missing = try await commit.liveElements(of: id, key: key).map(doubles.moved)
          .filter { present.insert($0).inserted }
        if try await addToCollection(doubles.kept, key, missing, as: .list, at: time) {
          taken.insert(key)
        }
      }
    }
    return taken
  }

  // MARK: Its place with others

  /// Redirects values that refer to duplicates, in any live entity and property, including arrays
  /// and dictionaries, and states those that refer to the kept entity. It examines all entities, because
  /// references may be anywhere. Returns the number of values that it redirected.
  private func moveReferences(_ doubles: Doubles, at time: HybridTime?) async throws -> Int {
    var stated: [(id: EntityID, key: PropertyKey)] = []
    for type in try await commit.labels() {
      try await commit.fetch(Query(type), pageSize: 1_000) { page in
        for entity in page where !doubles.ids.contains(entity.id) {
          for key in entity.keys where entity[key].flatMap(doubles.stated) != nil {
            stated.append((entity.id, key))
          }
        }
        return true
      }
    }
    var count = 0
    for (id, key) in stated where try await moveReference(key, of: id, doubles, at: time) {
      count += 1
    }
    return count
  }

  /// Redirects a value, and from a date on also what is stated for later dates. Returns whether any of
  /// them named a duplicate.
  private func moveReference(
    _ key: PropertyKey,
    of id: EntityID,
    _ doubles: Doubles,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let time else {
      guard let property = try await commit.entity(id)?.property(key) else { return false }
      return try await move(property, key, of: id, doubles, at: nil)
    }
    var isMoved = false
    for time in [time] + (try await statements(of: key, of: id, after: time)) {
      let register = try await commit.register(of: id, key: key, at: time.lastOfDate)
      guard case .value(_, let value, let semanticType)? = register?.content else { continue }
      let property = StoredEntity.Property(value, semanticType: semanticType)
      if try await move(property, key, of: id, doubles, at: time) { isMoved = true }
    }
    return isMoved
  }

  private func move(
    _ property: StoredEntity.Property,
    _ key: PropertyKey,
    of id: EntityID,
    _ doubles: Doubles,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let moved = doubles.stated(property.value) else { return false }
    let renamed = StoredEntity.Property(moved, semanticType: property.semanticType)
    try await write(PropertyChange(key: key, property: renamed), to: id, at: time)
    return moved != property.value
  }

  /// Returns the dates after a date for which a property is stated.
  private func statements(
    of key: PropertyKey,
    of id: EntityID,
    after time: HybridTime
  ) async throws -> [HybridTime] {
    guard let current = try await commit.currentTime(of: id, key: key),
      current > time.lastOfDate
    else { return [] }
    let versions = try await commit.history(of: id, key: key, limit: nil)
    return Set(versions.filter { $0.content.key == key }.map(\.time))
      .filter { $0 > time.lastOfDate }.sorted()
  }

  /// Returns when the present value of a property begins, from a date on.
  private func beginning(
    of key: PropertyKey,
    of id: EntityID,
    from time: HybridTime?
  ) async throws -> HybridTime? {
    guard let time, let current = try await commit.currentTime(of: id, key: key) else {
      return time
    }
    return max(time, current)
  }

  /// Replaces an entity in to-many properties by the kept one, at the same positions.
  @discardableResult
  private func moveElements(
    naming id: EntityID,
    to kept: EntityID,
    at time: HybridTime?
  ) async throws -> Int {
    var count = 0
    for edge in try await commit.edges(to: id, of: .member) where !edge.isFromFormerLife {
      let (source, key) = (edge.source, edge.relation.name)
      guard case .live = try await commit.status(of: source), source != id,
        try await commit.isCollection(source, key)
      else { continue }
      var arrangement = Arrangement()
      arrangement.removed = try await commit.elements(of: source, key: key)
        .filter { $0.target == id }
      arrangement.added = arrangement.removed.map { (kept, $0.position) }
      let ends = EdgeEnds(source: source, relation: edge.relation, target: id)
      try await arrange(source, key, arrangement, at: try await beginning(of: ends, from: time))
      count += arrangement.added.count
    }
    return count
  }

  /// Adds to the kept entity the relations of a duplicate, from either end. Those that others
  /// declared to the duplicate end, and those between the merged entities.
  private func moveEdges(
    of id: EntityID,
    _ doubles: Doubles,
    at time: HybridTime?
  ) async throws -> Int {
    var moved: [(edge: EdgeEnds, position: ListPosition?, begin: HybridTime?)] = []
    var ended: [(edge: RelationEdge, begin: HybridTime?)] = []
    for edge in try await commit.edges(from: id, in: nil) where edge.relation.kind != .member {
      if edge.target == doubles.kept {
        try await keepAlive(try await remove(edge, at: time).died)
      } else if !doubles.ids.contains(edge.target), try await !isReference(edge) {
        let begin = try await beginning(of: edge.ends, from: time)
        moved.append((EdgeEnds(edge, source: doubles.kept), nil, begin))
      }
    }
    for kind in [Relation.Kind.owns, .free] {
      for edge in try await commit.edges(to: id, of: kind)
      where !edge.isFromFormerLife && edge.source != doubles.kept
        && !doubles.ids.contains(edge.source)
      {
        guard try await !isReference(edge), try await !commit.isDead(edge.source) else { continue }
        let begin = try await beginning(of: edge.ends, from: time)
        moved.append((EdgeEnds(edge, target: doubles.kept), edge.position, begin))
        ended.append((edge, begin))
      }
    }
    var count = 0
    for (edge, position, begin) in moved where try await isDeclarable(edge) {
      try await apply(
        .add(edge.relation, target: edge.target, position: position),
        to: edge.source,
        at: begin
      )
      count += 1
    }
    // A duplicate that is restored later does not get back what the kept entity has.
    for (edge, begin) in ended { try await keepAlive(try await remove(edge, at: begin).died) }
    return count
  }

  /// Returns the relations of others to the kept entity, without those that belong to references.
  private func relations(to kept: EntityID, _ doubles: Doubles) async throws -> [RelationEdge] {
    var edges: [RelationEdge] = []
    for kind in [Relation.Kind.owns, .free] {
      for edge in try await commit.edges(to: kept, of: kind)
      where !edge.isFromFormerLife && !doubles.ids.contains(edge.source) {
        guard try await !isReference(edge), try await !commit.isDead(edge.source) else { continue }
        edges.append(edge)
      }
    }
    return edges
  }

  /// Adds a relation again that there is, at its position, and removes the former adds. An undo then
  /// sees both as the same edge.
  private func restate(_ edge: RelationEdge, at time: HybridTime?) async throws {
    let time = try await beginning(of: edge.ends, from: time)
    try await apply(
      .add(edge.relation, target: edge.target, position: edge.position),
      to: edge.source,
      at: time
    )
    try await remove(edge, at: time)
  }

  /// Returns whether an edge belongs to a reference.
  private func isReference(_ edge: RelationEdge) async throws -> Bool {
    try await !references(behind: edge.ends).isEmpty
  }

  /// Returns whether an edge does not exist yet, and neither end is dead.
  private func isDeclarable(_ edge: EdgeEnds) async throws -> Bool {
    for end in [edge.source, edge.target] where try await commit.isDead(end) { return false }
    return try await commit.edge(from: edge.source, in: edge.relation, to: edge.target) == nil
  }
}

/// The duplicates, and the entity that replaces them.
private struct Doubles {
  let ids: Set<EntityID>
  let kept: EntityID

  func moved(_ id: EntityID) -> EntityID { ids.contains(id) ? kept : id }

  /// Returns the value with redirected references, or nil if it names neither the kept entity nor a
  /// duplicate.
  func stated(_ value: Value) -> Value? { moved(value) ?? (names(kept, value) ? value : nil) }

  private func names(_ id: EntityID, _ value: Value) -> Bool {
    switch value {
    case .reference(let other): other == id
    case .array(let values): values.contains { names(id, $0) }
    case .dictionary(let fields): fields.values.contains { names(id, $0) }
    default: false
    }
  }

  /// Returns the value with redirected references, or nil if it has none to redirect.
  func moved(_ value: Value) -> Value? {
    switch value {
    case .reference(let id): return ids.contains(id) ? .reference(kept) : nil
    case .array(let values):
      let moved = values.map { self.moved($0) }
      guard moved.contains(where: { $0 != nil }) else { return nil }
      return .array(zip(values, moved).map { $1 ?? $0 })
    case .dictionary(let fields):
      let moved = fields.compactMapValues { self.moved($0) }
      return moved.isEmpty ? nil : .dictionary(fields.merging(moved) { $1 })
    default: return nil
    }
  }
}

extension RelationEdge {
  fileprivate var ends: EdgeEnds { EdgeEnds(source: source, relation: relation, target: target) }
}

extension EdgeEnds {
  /// Creates a copy of an edge with another end.
  fileprivate init(_ edge: RelationEdge, source: EntityID? = nil, target: EntityID? = nil) {
    self.init(
      source: source ?? edge.source,
      relation: edge.relation,
      target: target ?? edge.target
    )
  }
}
