public import VarveCore

extension Objects {
  /// The live instance of an identifier, loaded if there is none, with the children it has.
  ///
  /// ```swift
  /// let shape = try await objects.load("shape-1", as: Shape.self)  // a Square, if that is its kind
  /// ```
  ///
  /// - Parameters:
  ///   - id: which entity.
  ///   - type: its class, or one above; the kind that is stored decides the class.
  /// - Throws: ``VarveError``: `noSuchDocument` where nothing is stored under the identifier, or was
  ///   erased; `unregisteredKind`; `kindMismatch` naming both kinds; `malformedDocument`;
  ///   `missingField` and `fieldType` where the class cannot read it. A child that cannot be loaded
  ///   fails the whole load.
  /// - Complexity: O(1) for a live instance; else O(log entities) for each object loaded.
  public func load<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type = Object.self
  ) async throws -> Object {
    noteChanges()
    if !stale.isEmpty, stale.contains(id) { try await bringUpToDate([id]) }
    if let live = map.live(id) { return try cast(live) }
    return try cast(try await loadGraph(id, as: type))
  }

  /// The live instance of an identifier; nothing where no identifier is given.
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

  /// Loads an object and its children from one state.
  private func loadGraph<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type
  ) async throws -> any StoredObject {
    let mark = beginLoad()
    defer { endLoad() }
    guard let entity = try await store.entity(id) else { throw VarveError.noSuchDocument(id) }
    var assembly = try begin(entity.asDocument(), as: type)
    if try assembly.nextMissing() != nil {
      assembly = try await store.reading { state in
        let assembly = try begin(try await state.document(id), as: type)
        try await assembly.complete(from: state, in: self)
        return assembly
      }
    }
    return try await publish(assembly, id, since: mark)
  }

  /// The object made of what was read, with its children.
  func loadGraph<Object: StoredObject>(
    from entity: Entity,
    as type: Object.Type,
    since mark: Int
  ) async throws -> any StoredObject {
    let assembly = try begin(entity.asDocument(), as: type)
    if try assembly.nextMissing() != nil { return try await loadGraph(entity.id, as: type) }
    return try await publish(assembly, entity.id, since: mark)
  }

  private func begin<Object: StoredObject>(
    _ entity: Entity,
    as type: Object.Type
  ) throws -> ObjectAssembly {
    let stored = try self.type(of: entity.type, entity.id)
    guard stored is Object.Type else {
      throw VarveError.kindMismatch(of: entity.id, expected: Object.kind, actual: entity.type)
    }
    let assembly = ObjectAssembly(self)
    try assembly.add(entity.id, entity.type, .entity(entity), as: stored)
    return assembly
  }

  private func publish(
    _ assembly: ObjectAssembly,
    _ id: EntityID,
    since mark: Int
  ) async throws -> any StoredObject {
    noteChanges()
    assembly.publish(in: self, since: mark)
    let object = assembly.object(id)
    if stale.contains(id) { try await bringUpToDate([id]) }
    guard let object, map[id]?.isDeleted != true else { throw VarveError.noSuchDocument(id) }
    return object
  }
}

extension StateReader {
  /// An entity as an object reads it.
  func document(_ id: EntityID) async throws -> Entity {
    guard let entity = try await backend.entity(id) else { throw VarveError.noSuchDocument(id) }
    return try entity.asDocument()
  }
}

extension Entity {
  /// Itself, if it can be an object.
  ///
  /// One that has a value under the empty key has that instead of properties.
  ///
  /// - Throws: ``VarveError`` with code `malformedDocument`.
  func asDocument() throws -> Entity {
    let content = self[""]
    guard type.text.isEmpty || content != nil else { return self }
    throw VarveError(
      .malformedDocument,
      type.text.isEmpty
        ? "the object \"\(id)\" has no kind\(content.map { ": \($0)" } ?? "")"
        : "the \(type) \"\(id)\" has no properties but a value: \(content.map { "\($0)" } ?? "")",
      at: "entity \(id)",
      remedy: "Store it with its kind and its properties."
    )
  }
}

extension VarveError {
  static func noSuchDocument(_ id: EntityID) -> VarveError {
    VarveError(
      .noSuchDocument,
      "no object \"\(id)\" is stored",
      at: "entity \(id)",
      remedy: "Check the identifier, or save the object first."
    )
  }
}
