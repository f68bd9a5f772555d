public import VarveCore
import VarveEntities

extension Objects {
  /// Returns the live instance with an identifier, and loads it with its children if there is none.
  ///
  /// ```swift
  /// let shape = try await objects.load("shape-1", as: Shape.self)  // a Square, if that is its kind
  /// ```
  ///
  /// - Parameters:
  ///   - id: the identifier.
  ///   - type: its class or a superclass; the stored kind determines the class.
  /// - Throws: ``VarveError``: `noSuchDocument` if nothing is stored under the identifier, or it
  ///   was erased; `unregisteredKind`; `kindMismatch`, which names both kinds; `malformedDocument`;
  ///   `missingField` and `fieldType` if the class cannot read it. If a child cannot be loaded, the
  ///   whole load throws.
  /// - Complexity: O(1) for a live instance; otherwise O(log entities) for each object loaded.
  public func load<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type = Object.self
  ) async throws -> Object {
    noteChanges()
    if !stale.isEmpty, stale.contains(id) { try await readAgain(id) }
    if let entry = map[id], let object = entry.object {
      if !entry.isDeleted { return try cast(object) }
      // The instance of an erased entity is still alive: the entity may have been restored.
      try await readAgain(id)
      if let live = map.live(id) { return try cast(live) }
    }
    return try cast(try await loadGraph(id, as: type))
  }

  /// Returns the live instance with an identifier; nil if the identifier is nil.
  @_disfavoredOverload
  public func load<Object: StoredObject>(
    _ id: EntityID?,
    as type: Object.Type = Object.self
  ) async throws -> Object? {
    guard let id else { return nil }
    let object: Object = try await load(id, as: type)
    return object
  }

  func cast<Object: StoredObject>(_ object: any StoredObject) throws -> Object {
    if let object = object as? Object { return object }
    let actual = Swift.type(of: object).kind
    throw VarveError.kindMismatch(of: object.id, expected: Object.kind, actual: actual)
  }

  private func loadGraph<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type
  ) async throws -> any StoredObject {
    try store.refuseInsideOwnWrite("load")
    let mark = beginLoad()
    defer { endLoad() }
    if let made = try await planned(id, as: type) {
      return try await finish(made, id, as: type, since: mark)
    }
    guard let entity = try await store.entity(id) else { throw VarveError.noSuchDocument(id) }
    let made = try make(entity, as: type)
    learn(from: made, of: entity.type, askedAs: type)
    return try await finish(made, id, as: type, since: mark)
  }

  /// Returns the object created from an entity, with its children.
  func loadGraph<Object: StoredObject>(
    from entity: StoredEntity,
    as type: Object.Type,
    since mark: Int
  ) async throws -> any StoredObject {
    try await finish(try make(entity, as: type), entity.id, as: type, since: mark)
  }

  private func finish<Object: StoredObject>(
    _ made: FreshObject,
    _ id: EntityID,
    as type: Object.Type,
    since mark: Int
  ) async throws -> any StoredObject {
    if made.links.strict.isEmpty {
      noteChanges()
      return try await current(publish(made, id, since: mark))
    }
    var assembly = ObjectAssembly(self)
    assembly.add(made, id)
    if try assembly.nextMissing() != nil {
      // All objects are read from one state.
      assembly = try await store.reading { state in
        let assembly = ObjectAssembly(self)
        assembly.add(try make(try await state.document(id), as: type), id)
        try await assembly.complete(from: state, in: self)
        return assembly
      }
    }
    noteChanges()
    assembly.publish(in: self, since: mark)
    guard let object = assembly.object(id) else { throw VarveError.noSuchDocument(id) }
    return try await current(object)
  }

  private func make<Object: StoredObject>(
    _ entity: StoredEntity,
    as type: Object.Type
  ) throws -> FreshObject {
    let entity = try entity.asDocument()
    let stored = try self.type(of: entity.type, entity.id, askedAs: Object.kind)
    guard stored is Object.Type else {
      throw VarveError.kindMismatch(of: entity.id, expected: Object.kind, actual: entity.type)
    }
    return try FreshObject(entity.id, entity.type, .entity(entity), as: stored, in: self)
  }

  /// Makes an object the live instance of its identifier, unless there is one.
  ///
  /// If an instance that was forgotten when the entity was erased is still alive, it becomes the
  /// live instance again, to be brought up to date.
  ///
  /// - Parameter mark: when the values were read.
  /// - Returns: the live instance.
  @discardableResult
  func publish(_ made: FreshObject, _ id: EntityID, since mark: Int) -> any StoredObject {
    let entry = ObjectEntry(made.object, made.state)
    if made.links.usesDefaults { entry.noteDefaults(of: made.object) }
    let earlier = map.insert(entry, for: id)
    if let earlier, let object = earlier.object {
      if !earlier.isDeleted || Swift.type(of: object) == Swift.type(of: made.object) {
        map.insert(earlier, for: id)
        if earlier.isDeleted { readSoon([id]) }
        earlier.learn(isDeleted: false)
        return object
      }
    }
    ObjectOwners.note(made.object, in: self)
    if hasChanged(id, since: mark) { stale.insert(id) }
    return made.object
  }

  /// Returns a newly published object, brought up to date if it changed while it was read.
  private func current(_ object: any StoredObject) async throws -> any StoredObject {
    guard !stale.isEmpty, stale.contains(object.id) else { return object }
    try await readAgain(object.id)
    guard map[object.id]?.isDeleted != true else { throw VarveError.noSuchDocument(object.id) }
    return object
  }
}

extension StateReader {
  /// Returns an entity as an object reads it.
  func document(_ id: EntityID) async throws -> StoredEntity {
    guard let entity = try await reader.entity(id) else { throw VarveError.noSuchDocument(id) }
    return try entity.asDocument()
  }
}

extension StoredEntity {
  /// Returns the entity, if it can be an object.
  ///
  /// An entity with a value under the empty key has that value instead of properties.
  ///
  /// - Throws: ``VarveError`` with code `malformedDocument`.
  func asDocument() throws -> StoredEntity {
    let content = self[""]
    guard type.text.isEmpty || content != nil else { return self }
    throw VarveError(
      .malformedDocument,
      type.text.isEmpty
        ? "the object \"\(id)\" has no kind\(content.map { ": \($0)" } ?? "")"
        : "the \(type) \"\(id)\" has no properties but a value: \(content.map { "\($0)" } ?? "")",
      at: "entity \(id)",
      remedy: "Store it with its kind and its properties.",
      entity: id
    )
  }
}

extension VarveError {
  static func noSuchDocument(_ id: EntityID) -> VarveError {
    VarveError(
      .noSuchDocument,
      "no object \"\(id)\" is stored",
      at: "entity \(id)",
      remedy: "Check the identifier, or save the object first.",
      entity: id
    )
  }
}
