import VarveCore
import VarveJSON
import VarveStore

extension World {
  /// Checks an expectation.
  func expect(_ operation: JSON, _ storeName: String) async throws {
    guard let getter = operation["that"], case .object(let members) = operation else {
      throw CaseFailure.malformed("expect has no that")
    }
    let comparisons = members.filter { $0.name != "op" && $0.name != "that" }
    guard !comparisons.isEmpty else { throw CaseFailure.malformed("expect has no comparator") }
    let got = try await value(of: getter, storeName)
    for comparison in comparisons {
      try Matching.check(got, comparison.name, comparison.value)
    }
  }

  /// Returns the value of a getter.
  func value(of getter: JSON, _ storeName: String) async throws -> JSON {
    if let path = getter["bound"]?.stringValue { return try bound(path) }
    if let name = getter["error"]?.stringValue { return try bound(name)["error"] ?? .null }
    if let name = getter["log"]?.stringValue { return try log(named: name) }
    if let found = try await objectValue(of: getter, getter["store"]?.stringValue ?? storeName) {
      return found
    }
    if let inner = getter["len"] { return try await length(of: inner, storeName) }
    let store = try await store(getter["store"]?.stringValue ?? storeName)
    if let relation = getter["rel"] ?? getter["relIds"] {
      return try await related(relation, getter, in: store)
    }
    if let relation = getter["refs"] { return try await references(relation, getter, in: store) }
    return try await entityValue(of: getter, in: store)
  }

  /// `refs`: the live targets of a mapped relation, `[entity, property]`, or a property of each.
  private func references(_ relation: JSON, _ getter: JSON, in store: Store) async throws -> JSON {
    guard let parts = relation.elements, parts.count == 2, let text = parts[1].stringValue else {
      throw CaseFailure.malformed("refs needs an entity and a property")
    }
    let id = try await id(parts[0], in: store)
    let single = try await store.entity(id)?[PropertyKey(text)]?.referenceValue.map { [$0] }
    let many = try await store.collection(of: id, PropertyKey(text))
    let targets = try await store.entities(single ?? many ?? []).compactMap { $0 }
    guard let shown = getter["show"]?.stringValue else {
      return .array(targets.map { .string($0.id.text) })
    }
    return .array(targets.map { $0[PropertyKey(shown)]?.json ?? .null })
  }

  private func length(of getter: JSON, _ storeName: String) async throws -> JSON {
    switch try await value(of: getter, storeName) {
    case .array(let elements): .count(elements.count)
    case .object(let members): .count(members.count)
    case .string(let text): .count(text.count)
    default: .null
    }
  }

  /// Getters that look at one entity, or count.
  private func entityValue(of getter: JSON, in store: Store) async throws -> JSON {
    if let place = getter["exists"] { return .bool(try await isLive(place, in: store)) }
    if let place = getter["erased"] {
      let status = try await store.status(of: try await id(place, in: store))
      return .bool(status == .erased || status == .dead)
    }
    if let place = getter["type"] {
      let entity = try await store.entity(try await id(place, in: store))
      return .optional(entity?.type.text)
    }
    if let type = getter["count"]?.stringValue {
      return .count(try await store.count(Query(EntityType(type))))
    }
    if getter["countAll"] != nil {
      return .count(try await store.types().reduce(0) { $0 + $1.count })
    }
    return try await propertyValue(of: getter, in: store)
  }

  /// Getters that look at one property of an entity: `[entity, key]`.
  private func propertyValue(of getter: JSON, in store: Store) async throws -> JSON {
    for name in ["prop", "hasProp", "history"] {
      guard let parts = getter[name]?.elements, parts.count == 2, let text = parts[1].stringValue
      else { continue }
      let id = try await id(parts[0], in: store)
      let key = PropertyKey(text)
      switch name {
      case "prop": return try await store.entity(id)?[key]?.json ?? .null
      case "hasProp": return .bool(try await store.entity(id)?[key] != nil)
      default:
        return .array(try await store.history(of: id, key).map { $0.value?.json ?? .null })
      }
    }
    guard case .object(let members) = getter, let first = members.first else {
      throw CaseFailure.malformed("a getter is an object")
    }
    throw CaseFailure.unsupported("getter \(first.name)")
  }

  /// `rel` and `relIds`: `[entity, kind]`, narrowed.
  private func related(_ relation: JSON, _ getter: JSON, in store: Store) async throws -> JSON {
    guard let parts = relation.elements, parts.count == 2,
      let kind = parts[1].stringValue.flatMap(RelationKind.init(rawValue:))
    else { throw CaseFailure.unsupported("relation \(relation.text)") }
    let id = try await id(parts[0], in: store)
    guard getter["relIds"] == nil else {
      return .array(try await store.relatedIDs(id, kind).map { .string($0.text) })
    }
    var entities = try await store.related(id, kind)
    if let type = getter["ofType"]?.stringValue { entities.removeAll { $0.type.text != type } }
    if case .object(let wanted)? = getter["where"] {
      for member in wanted {
        let value = try Value(json: member.value)
        entities.removeAll { $0[PropertyKey(member.name)] != value }
      }
    }
    let ids = entities.map { JSON.string($0.id.text) }
    return getter["first"] == true ? ids.first ?? .null : .array(ids)
  }

  // MARK: Entities

  /// Returns the identifier at an entity position.
  private func id(_ place: JSON, in store: Store) async throws -> EntityID {
    if let text = place.stringValue { return try EntityID(text) }
    let matches = try await matches(place, in: store)
    guard matches.count == 1, let match = matches.first else {
      throw CaseFailure.unmet(
        expected: "one entity \(place.text)",
        got: "\(matches.count)"
      )
    }
    return match.id
  }

  private func isLive(_ place: JSON, in store: Store) async throws -> Bool {
    if let text = place.stringValue { return try await store.entity(try EntityID(text)) != nil }
    return try await !matches(place, in: store).isEmpty
  }

  private func matches(_ selector: JSON, in store: Store) async throws -> [StoredEntity] {
    guard case .object(let members) = selector, members.count == 1, let type = members.first,
      case .object(let wanted) = type.value
    else { throw CaseFailure.malformed("\(selector.text) names no entity") }
    let values = try wanted.map { (PropertyKey($0.name), try Value(json: $0.value)) }
    return try await store.fetch(Query(EntityType(type.name))).filter { entity in
      values.allSatisfy { entity[$0.0] == $0.1 }
    }
  }
}
