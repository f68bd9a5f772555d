import VarveCore

/// Reads what the objects of a document say: no store is asked.
struct Drafting {
  /// What was noticed, since it was last taken.
  private(set) var diagnostics: [(path: DocumentPath, reason: String)] = []
  /// Whether something had no identity, or was no object, though it stood where one belongs.
  private(set) var hasUnreadable = false

  mutating func takeDiagnostics() -> [(path: DocumentPath, reason: String)] {
    defer { diagnostics = [] }
    return diagnostics
  }

  private mutating func note(_ path: DocumentPath, _ reason: String) {
    diagnostics.append((path, reason))
  }

  /// What an object, or an identifying value, says; nil for null and for what is neither.
  mutating func draft(
    _ json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    by link: MappedRelation? = nil,
    in outer: JSON? = nil
  ) throws -> Draft? {
    switch json {
    case .null: return nil
    case .object: return try object(json, mapping, at: path)
    case .array:
      note(path, "an array stands where an object is expected")
      hasUnreadable = true
      return nil
    default: return try stub(json, mapping, at: path, by: link, in: outer)
    }
  }

  private mutating func object(
    _ json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws -> Draft {
    let draft = Draft(mapping, at: path, isStub: false)
    for column in mapping.columns {
      switch find(column.path, in: json, at: path) {
      case .absent, .blocked: break
      case .null: draft.slots[column.index] = .cleared
      case .value(let found):
        let whole = column.qualifier?.complete(found, in: json) ?? found
        if let value = column.value(whole) {
          draft.slots[column.index] = .value(value)
        } else {
          note(path.member(column.path), column.complaint(whole))
          if column.key == mapping.mapping.identification { hasUnreadable = true }
        }
      }
    }
    if let column = mapping.identification, case .value(let value) = draft.slots[column.index] {
      draft.naturalKey = NaturalKey(type: mapping.mapping.entity, key: column.key, value: value)
    }
    for index in mapping.links.indices {
      if let targets = try targets(index, of: json, mapping, at: path) {
        draft.targets.append(targets)
      }
    }
    return draft
  }

  private mutating func find(
    _ names: KeyPathInJSON,
    in json: JSON,
    at path: DocumentPath
  ) -> JSONLookup {
    let found = JSONLookup.find(names.names, in: json)
    if case .blocked(let count) = found {
      let way = KeyPathInJSON(names: Array(names.names.prefix(count)))
      note(path.member(way), "an object is expected here, to find \(names.text)")
    }
    return found
  }

  /// What is said of a relation; nil for nothing.
  private mutating func targets(
    _ index: Int,
    of json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws -> Draft.Targets? {
    let relation = mapping.links[index].relation
    let found: JSON
    switch find(relation.path, in: json, at: path) {
    case .absent, .blocked: return nil
    case .null: return Draft.Targets(link: index, isNull: true, drafts: [])
    case .value(let value): found = value
    }
    let place = path.member(relation.path)
    let target = mapping.targets[index]
    guard case .array(let elements) = found else {
      let draft = try draft(found, target, at: place, by: relation, in: json)
      return draft.map { Draft.Targets(link: index, isNull: false, drafts: [$0]) }
    }
    var drafts: [Draft] = []
    for (number, element) in elements.enumerated() {
      let place = place.element(number)
      if let draft = try draft(element, target, at: place, by: relation, in: json) {
        drafts.append(draft)
      }
    }
    // Nothing of it could be used: that does not say there is nothing.
    if drafts.isEmpty, elements.contains(where: { $0 != .null }) { return nil }
    return Draft.Targets(link: index, isNull: false, drafts: drafts)
  }

  /// An identifying value on its own.
  private mutating func stub(
    _ json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    by relation: MappedRelation?,
    in outer: JSON?
  ) throws -> Draft? {
    guard let column = mapping.identification else {
      throw VarveError(
        .noIdentificationAttribute,
        "the mapping \"\(mapping.mapping.name)\" has no identification attribute",
        at: path.pointer,
        remedy: "Declare one, or give objects instead of identifying values."
      )
    }
    var given = json
    if let outer { given = relation?.qualifier?.complete(json, in: outer) ?? json }
    if let transform = relation?.transform {
      guard let value = Value(plain: given).flatMap({ transform($0) }) else {
        note(path, "\(given.short) has no value by the transform \(transform.name)")
        return nil
      }
      given = value.plainJSON
    }
    guard let value = column.value(given) else {
      note(path, column.complaint(given))
      hasUnreadable = true
      return nil
    }
    let draft = Draft(mapping, at: path, isStub: true)
    draft.slots[column.index] = .value(value)
    draft.naturalKey = NaturalKey(type: mapping.mapping.entity, key: column.key, value: value)
    return draft
  }
}
