public import VarveCore
public import VarveEntities

/// Reads through references. Results are in the order of the references, all from one state.
extension Reading {
  /// Returns the entities that references find; nil for each that is missing. Creates nothing.
  ///
  /// - Returns: an object for each reference, of the class registered for its type.
  /// - Throws: `VarveError` with code `typeMismatch` if a reference expects another type.
  /// - Complexity: O(references × log entities) if the properties they search are indexed
  ///   (`addIndex(on:of:)`); otherwise a pass over the entities of each type searched for
  ///   every 4,096 values.
  public func find(_ references: [EntityReference]) async throws -> [(any EntityHandle)?] {
    try await reading { state in
      let finder = ReferenceFinder(state.reader)
      let references = references.map { $0.updating([:]) }
      try await finder.prepare(references)
      return try await finder.find(references).map { $0.map(state.classes.handle) }
    }
  }

  /// Returns the entities that references find, as objects of one class.
  ///
  /// - Throws: `VarveError` with code `typeMismatch` if an entity is of another type.
  public func find<Class: CustomReference>(
    _ references: [EntityReference],
    as class: Class.Type
  ) async throws -> [Class?] {
    let references = references.map { $0.expecting(Class.entityType) }
    return try await find(references).map { $0.map { Class($0.asFound) } }
  }

  /// Returns the entities of a type whose property has exactly one of these values, in the order of
  /// the values; several with one value are in creation order.
  ///
  /// - Complexity: as `find(_:)`.
  public func find(
    _ type: EntityType,
    _ key: PropertyKey,
    in values: [Value]
  ) async throws -> [any EntityHandle] {
    try await reading { state in
      let matches = try await state.reader.matches(of: values, at: key, in: type)
      return values.flatMap { matches[$0] ?? [] }.map(state.classes.handle)
    }
  }

  /// Returns properties of the references' entities; nil for each that is missing.
  ///
  /// `identifier`, `type`, `datestamp` and `modified` can be read by name; a stored property with
  /// one of these names takes precedence. The updates of a reference (``EntityReference/updates``)
  /// are returned instead of the stored values, except for references that would have to be looked
  /// up.
  ///
  /// ```swift
  /// let sizes = try await store.properties(["size"], of: ["hat-1", "hat-2"])
  /// print(sizes[0]?["size"]?.value ?? "none", sizes[0]?["size"]?.semanticType ?? "")
  /// ```
  ///
  /// - Parameters:
  ///   - names: the properties; nil for all that are stored.
  ///   - references: the references to the entities.
  /// - Returns: for each reference, those of the properties that its entity has.
  /// - Throws: `VarveError`: `unresolvedKey`, `typeMismatch`.
  /// - Complexity: as `find(_:)`, and O(properties).
  public func properties(
    _ names: [PropertyName]? = nil,
    of references: [EntityReference]
  ) async throws -> [[PropertyKey: StoredEntity.Property]?] {
    try await reading { state in
      let finder = ReferenceFinder(state.reader)
      let lookups = references.map { $0.updating([:]) }
      try await finder.prepare(lookups + (names ?? []).compactMap(\.reference))
      let keys = if let names { try await finder.keys(names) } else { nil as [PropertyKey]? }
      var answers: [[PropertyKey: StoredEntity.Property]?] = []
      answers.reserveCapacity(references.count)
      var size = ResultSize()
      for (reference, lookup) in zip(references, lookups) {
        try Task.checkCancellation()
        guard let found = try await finder.find(lookup),
          let entity = try await state.reader.entity(found.id)
        else {
          answers.append(nil)
          continue
        }
        let answer = entity.properties(keys, updatedBy: reference.updates)
        try size.add(answer)
        answers.append(answer)
      }
      return answers
    }
  }

  /// Returns the number of live entities of each type, in the order of the types.
  public func count(_ types: [EntityType]) async throws -> [Int] {
    try await reading { state in
      var counts: [Int] = []
      for type in types { counts.append(try await state.reader.count(Query(type))) }
      return counts
    }
  }

  /// Returns all live entities of a type, or of all types, in creation order.
  ///
  /// - Complexity: O(entities), without their properties.
  public func handles(of type: EntityType? = nil) async throws -> [any EntityHandle] {
    try await reading { state in
      let types = if let type { [type] } else { try await state.reader.labels() }
      var names: [(name: EntityName, type: EntityType)] = []
      for type in types {
        names += try await state.reader.names(of: type).map { ($0, type) }
      }
      if types.count > 1 {
        names.sort { ($0.name.datestamp, $0.name.place) < ($1.name.datestamp, $1.name.place) }
      }
      return names.map { state.classes.handle(FoundEntity(id: $0.name.id, type: $0.type)) }
    }
  }
}

extension EntityHandle {
  /// The entity without its custom class.
  var asFound: FoundEntity { FoundEntity(id: id, type: type) }
}

extension StoredEntity {
  /// Returns the requested properties, or all that are stored, with updates applied.
  fileprivate func properties(
    _ keys: [PropertyKey]?,
    updatedBy updates: NewProperties
  ) -> [PropertyKey: Property] {
    var answer: [PropertyKey: Property] = [:]
    if let keys {
      for key in keys { answer[key] = property(key) ?? ownProperty(key) }
    } else {
      answer = properties
    }
    for (name, value) in updates where name.reference == nil {
      guard keys?.contains(name.key) ?? true else { continue }
      switch value {
      case .value(let value, let semanticType):
        answer[name.key] = Property(value, semanticType: semanticType)
      case .removal: answer[name.key] = nil
      case .to(let reference, let semanticType):
        guard let id = reference.id else { continue }
        answer[name.key] = Property(.reference(id), semanticType: semanticType)
      }
    }
    return answer
  }

  /// Returns a property that every entity has, by name.
  private func ownProperty(_ key: PropertyKey) -> Property? {
    switch key {
    case "identifier": Property(.string(id.text), semanticType: "identifier")
    case "type": Property(.string(type.text), semanticType: "entity")
    case "datestamp": Property(.date(datestamp.date))
    case "modified": Property(.date(modified.date))
    default: nil
    }
  }
}
