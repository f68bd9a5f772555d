import VarveCore
import VarveStore

/// Reads written objects as an import would, and reports what would change.
struct ExportProof {
  private let state: any Reading
  private let note: (String, String) -> Void
  /// The entities whose identifier differs from the one derived from their value, by place and
  /// value. They are loaded when the first one is met.
  private var others: [ObjectIdentifier: [Value: EntityID]] = [:]
  /// Whether an import would find each entity by its value.
  private var isItself: [EntityID: Bool] = [:]

  /// Creates a proof of an export.
  ///
  /// - Parameter note: called with the place, as a JSON pointer, and the difference.
  init(_ state: any Reading, note: @escaping (String, String) -> Void) {
    self.state = state
    self.note = note
  }

  /// Compares an object with the result of reading it.
  mutating func prove(_ object: WrittenObject, at path: DocumentPath) async throws {
    var drafting = Drafting()
    let draft = try drafting.draft(object.json, object.mapping, at: path)
    drafting.finish()
    var open: [(object: WrittenObject, draft: Draft)] = []
    if let draft { open.append((object, draft)) } else { complain(path, "it is not read at all") }
    while let (object, draft) = open.popLast() {
      try await proveIdentity(of: object, draft)
      proveValues(of: object, draft)
      for (index, link) in object.links.enumerated() {
        let said = draft.targets.first { $0.link == index }
        let relation = object.mapping.links[index].relation
        let place = draft.path.member(relation.path)
        guard let pairs = prove(link, said, place) else { continue }
        open += pairs.reversed()
        if object.isWhole {
          try await proveCompany(of: object.mapping.links[index], object.entity, pairs, place)
        }
      }
    }
  }

  private func complain(_ path: DocumentPath, _ reason: String) { note(path.pointer, reason) }

  // MARK: One object

  private func proveValues(of object: WrittenObject, _ draft: Draft) {
    for column in object.mapping.columns {
      let (stored, said) = (object.entity[column.key], draft[column.index])
      guard stored != said else { continue }
      let path = draft.path.member(column.path)
      if let said {
        complain(path, "\(stored.shown) is read as \(Value?.some(said).shown)")
      } else if draft.cleared.contains(column.index) {
        complain(path, "\(stored.shown) cannot be written, and reading removes it")
      } else if object.isWhole {
        complain(path, "\(stored.shown) is not read back")
      }
    }
  }

  /// Checks that an import would identify the object as the entity itself.
  private mutating func proveIdentity(of object: WrittenObject, _ draft: Draft) async throws {
    let (entity, mapping) = (object.entity, object.mapping)
    guard entity.type == mapping.mapping.entity else {
      return complain(draft.path, "\(entity.id) is a \(entity.type), which an import cannot know")
    }
    guard let place = mapping.keyPlace, let value = object.identity else {
      return complain(draft.path, "\(entity.id) has no identifying value to import it by")
    }
    guard draft.naturalKey?.value == value else {
      return complain(draft.path, "\(entity.id) is not found by its identifying value")
    }
    if isItself[entity.id] == nil {
      isItself[entity.id] = try await isFound(entity, by: value, place)
    }
    guard isItself[entity.id] == true else {
      return complain(draft.path, "another entity has the identifying value of \(entity.id)")
    }
  }

  /// Returns whether an import finds the entity by its value (R20).
  private mutating func isFound(
    _ entity: StoredEntity,
    by value: Value,
    _ place: KeyPlace
  ) async throws -> Bool {
    let derived = place.derivedID(value)
    if derived == entity.id { return true }
    if let other = try await state.entity(derived), other.type == place.type,
      other[place.key] == value
    {
      return false
    }
    let name = ObjectIdentifier(place)
    if others[name] == nil { others[name] = try await place.otherEntities(in: state) }
    return others[name]?[value] == entity.id
  }

  // MARK: Relations

  /// Returns the targets with the result of reading each, or nil if they differ.
  private func prove(_ link: WrittenObject.Link, _ said: Draft.Targets?, _ path: DocumentPath)
    -> [(object: WrittenObject, draft: Draft)]?
  {
    switch link {
    case .left(let isSet):
      guard let said else { return nil }
      if !said.drafts.isEmpty || isSet { complain(path, "an import would change what is omitted") }
      return nil
    case .never:
      if let said, !said.isNull { complain(path, "an import would set what was never set") }
      return nil
    case .targets(let targets, let missing):
      if missing > 0 { complain(path, "it names \(missing) that no longer exist") }
      guard missing == 0 else { return nil }
      guard let said, !said.isNull, said.drafts.count == targets.count else {
        complain(path, "its targets are not read back")
        return nil
      }
      return Array(zip(targets, said.drafts).map { ($0, $1) })
    }
  }

  /// Checks the edges and inverses of a relation, which an import would add if they were missing.
  private func proveCompany(
    of link: CompiledMapping.Link,
    _ source: StoredEntity,
    _ targets: [(object: WrittenObject, draft: Draft)],
    _ path: DocumentPath
  ) async throws {
    let ids = targets.map(\.object.entity.id)
    if let kind = link.relation.edge, !ids.isEmpty {
      let there = try await state.relatedIDs(source.id, kind, named: link.relation.key)
      if !Set(there).isSuperset(of: ids) {
        complain(path, "an import would add a relation \(kind.rawValue)")
      }
    }
    guard let inverse = link.inverse else { return }
    for (object, _) in targets {
      let names: Bool
      if inverse.link != nil {
        let back = try await state.collection(of: object.entity.id, inverse.key)
        names = back?.contains(source.id) == true
      } else {
        names = object.entity[inverse.key] == .reference(source.id)
      }
      guard !names else { continue }
      complain(path, "an import would set \(inverse.key) of \(object.entity.id) to \(source.id)")
    }
  }
}

extension Value? {
  /// The value in at most 60 characters.
  fileprivate var shown: String { map { $0.json.short } ?? "nothing" }
}

extension KeyPlace {
  /// Returns the entities whose identifier differs from the one derived from their value, by value.
  /// Of several with one value, the one created first counts.
  ///
  /// - Complexity: O(entities of the type).
  func otherEntities(in reading: any Reading) async throws -> [Value: EntityID] {
    try await reading.reading { state in
      var others: [Value: EntityID] = [:]
      try await state.reader.fetch(Query(self.type), pageSize: 1_000) { page in
        for entity in page {
          guard let value = entity[self.key], others[value] == nil else { continue }
          if self.derivedID(value) != entity.id { others[value] = entity.id }
        }
        return true
      }
      return others
    }
  }
}
