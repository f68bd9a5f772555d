import VarveCore

/// Reads the content of a document's objects, without access to a store.
struct Drafting {
  /// The values that could not be used.
  private(set) var diagnostics: [(path: DocumentPath, reason: String)] = []
  /// Whether some value in the place of an object had no identity, or was not an object.
  var hasUnreadable = false
  /// The values of the drafts.
  private(set) var values = PackedValues()
  private let table = DraftValues()
  /// Whether some draft removes properties.
  private var hasCleared = false

  /// Reserves room for the values of objects.
  ///
  /// - Parameter byteCount: the approximate number of bytes of their texts.
  mutating func reserve(_ count: Int, of mapping: CompiledMapping, byteCount: Int) {
    values.reserveCapacity(count * mapping.keys.count, byteCount: byteCount)
  }

  /// Gives the drafts their values.
  mutating func finish() {
    table.fill(values)
    values = PackedValues()
  }

  private mutating func begin(
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    isStub: Bool
  ) -> Draft {
    let first = values.count
    values.append(nothings: mapping.keys.count)
    if mapping.mapping.clearsMissing { hasCleared = true }
    return Draft(mapping, at: path, isStub: isStub, first..<values.count, of: table)
  }

  /// Sets a property; nil leaves it unchanged.
  private mutating func set(_ value: Value?, at index: Int, of draft: Draft) {
    values[draft.places.lowerBound + index] = value
    if hasCleared { draft.keep(index) }
  }

  /// Sets a property to a text.
  private mutating func set(text: UnsafeBufferPointer<UInt8>, at index: Int, of draft: Draft) {
    values.set(draft.places.lowerBound + index, text: UnsafeRawBufferPointer(text))
    if hasCleared { draft.keep(index) }
  }

  /// Removes a property.
  private mutating func clear(at index: Int, of draft: Draft) {
    values[draft.places.lowerBound + index] = nil
    hasCleared = true
    draft.clear(index)
  }

  /// Reports the repeated names of an object.
  mutating func note(_ repetitions: [RepeatedName], at path: DocumentPath) {
    for repeated in repetitions { note(path.descendant(repeated.path), repeated.reason) }
  }

  mutating func note(_ path: DocumentPath, _ reason: String) {
    diagnostics.append((path, reason))
  }

  /// Returns the content of a top-level value; nil for null and for anything but an object.
  mutating func draft(
    _ tape: JSONTape,
    _ mapping: CompiledMapping,
    atTop path: DocumentPath
  ) throws -> Draft? {
    guard tape.isObject else { return try draft(tape.json, mapping, atTop: path) }
    return try object(tape, mapping, at: path)
  }

  /// Returns the content of a top-level value; nil for null and for anything but an object.
  mutating func draft(
    _ json: JSON,
    _ mapping: CompiledMapping,
    atTop path: DocumentPath
  ) throws -> Draft? {
    if json == .null, mapping.isWatched { hasUnreadable = true }
    if mapping.isWatched, path.isRoot, json.isScalar {
      // A response that is not a list may be an error message, so no entity may end because of it.
      note(path, "\(json.short) is in the place of a complete list")
      hasUnreadable = true
      return nil
    }
    return try draft(json, mapping, at: path)
  }

  /// Returns the content of an object on the tape; nil if none of its members is mapped. Direct
  /// members that are properties are read in place; only deeper values and relations are converted
  /// to documents.
  private mutating func object(
    _ tape: JSONTape,
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws -> Draft? {
    let draft = begin(mapping, at: path, isStub: false)
    var rest: [JSON.Member] = []
    var hint = 0
    var isKnown = false
    let first = draft.places.lowerBound
    let members = mapping.members
    let entries = members.entries
    tape.forEachMember { name, value in
      guard let index = entries.index(of: name, &hint) else { return }
      isKnown = true
      if hasCleared || !values.keep(value, entries[index], from: first) {
        set(value, members.members[index], of: draft, &rest, at: path)
      }
    }
    withExtendedLifetime(members) {}
    guard isKnown || members.members.isEmpty else {
      refuse(tape.json, mapping, at: path)
      return nil
    }
    try finish(draft, .object(rest), mapping.deepColumns, mapping, at: path)
    return draft
  }

  /// Reports an object of which no member is mapped.
  private mutating func refuse(_ json: JSON, _ mapping: CompiledMapping, at path: DocumentPath) {
    refuse(mapping.complaint(json), at: path)
  }

  /// Sets the properties that a member of an object determines.
  private mutating func set(
    _ value: JSONTape,
    _ member: CompiledMapping.Member,
    of draft: Draft,
    _ rest: inout [JSON.Member],
    at path: DocumentPath
  ) {
    for column in member.columns {
      if value.isNull {
        clear(at: column.index, of: draft)
      } else {
        set(value, column, of: draft, at: path)
      }
    }
    if member.isNeededWhole {
      rest.append(JSON.Member(name: member.name, value: value.json))
    }
  }

  private mutating func set(
    _ tape: JSONTape,
    _ column: CompiledMapping.Column,
    of draft: Draft,
    at path: DocumentPath
  ) {
    if column.keepsTexts, let text = tape.string {
      set(text: text, at: column.index, of: draft)
    } else if let scalar = tape.scalar {
      guard let value = column.value(Value(scalar)) else {
        return refuse(tape.json, column, of: draft, at: path)
      }
      set(value, at: column.index, of: draft)
    } else {
      let json = tape.json
      guard let value = column.value(json) else {
        return refuse(json, column, of: draft, at: path)
      }
      set(value, at: column.index, of: draft)
    }
  }

  private mutating func refuse(
    _ json: JSON,
    _ column: CompiledMapping.Column,
    of draft: Draft,
    at path: DocumentPath
  ) {
    set(nil, at: column.index, of: draft)
    note(path.member(column.path), column.complaint(json))
    if column.isIdentification { hasUnreadable = true }
  }

  /// Returns the content of an object or an identifying value; nil for null and for anything else.
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
      refuse("an array is in the place of an object", at: path)
      return nil
    default: return try stub(json, mapping, at: path, by: link, in: outer)
    }
  }

  /// Returns the content of an object; nil if none of its members is mapped.
  private mutating func object(
    _ json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws -> Draft? {
    guard mapping.knows(json) else {
      refuse(json, mapping, at: path)
      return nil
    }
    let draft = begin(mapping, at: path, isStub: false)
    try finish(draft, json, mapping.columns, mapping, at: path)
    return draft
  }

  /// Reads the properties, then the identity, then the relations.
  private mutating func finish(
    _ draft: Draft,
    _ json: JSON,
    _ columns: [CompiledMapping.Column],
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws {
    for column in columns {
      switch find(column.path, in: json, at: path) {
      // A path that is blocked counts as missing.
      case .absent, .blocked: break
      case .null: clear(at: column.index, of: draft)
      case .value(let found):
        let whole = column.qualifier?.complete(found, in: json) ?? found
        if let value = column.value(whole) {
          set(value, at: column.index, of: draft)
        } else {
          refuse(whole, column, of: draft, at: path)
        }
      }
    }
    if let column = mapping.identification, let place = mapping.keyPlace,
      let value = values[draft.places.lowerBound + column.index]
    {
      draft.naturalKey = NaturalKey(place: place, value: value)
    } else if mapping.isWatched, mapping.identification != nil {
      // An object without an identity may be any entity that a complete document would end.
      hasUnreadable = true
    }
    for index in mapping.links.indices {
      if let targets = try targets(index, of: json, mapping, at: path) {
        draft.targets.append(targets)
      }
    }
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

  /// Returns the content of a relation, or nil if it is unchanged.
  private mutating func targets(
    _ index: Int,
    of json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath
  ) throws -> Draft.Targets? {
    let relation = mapping.links[index].relation
    let found: JSON
    switch find(relation.path, in: json, at: path) {
    case .absent, .blocked:
      guard mapping.mapping.clearsMissing else { return nil }
      return Draft.Targets(link: index, isNull: true, drafts: [])
    case .null: return Draft.Targets(link: index, isNull: true, drafts: [])
    case .value(let value): found = value
    }
    let place = path.member(relation.path)
    let target = mapping.targets[index]
    if let name = relation.keyedBy {
      return try targets(found, by: name, index, mapping, at: place, in: json)
    }
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
    // If no element could be used, the relation is unchanged and not emptied.
    if drafts.isEmpty, elements.contains(where: { $0 != .null }) { return nil }
    return Draft.Targets(link: index, isNull: false, drafts: drafts)
  }

  /// Returns the draft of a bare identifying value.
  private mutating func stub(
    _ json: JSON,
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    by relation: MappedRelation?,
    in outer: JSON?
  ) throws -> Draft? {
    guard let column = mapping.identification, let keyPlace = mapping.keyPlace else {
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
    let draft = begin(mapping, at: path, isStub: true)
    set(value, at: column.index, of: draft)
    draft.naturalKey = NaturalKey(place: keyPlace, value: value)
    return draft
  }
}
