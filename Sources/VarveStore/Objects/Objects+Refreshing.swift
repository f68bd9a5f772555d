import VarveCore

extension Objects {
  /// Brings all live instances up to date with what others have changed.
  ///
  /// The context does so by itself in a turn on its actor; this waits for it.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read. An instance that cannot take over what is
  ///   stored stays as it is, which is logged.
  /// - Complexity: O(live instances that changed × log entities).
  public func refresh() async throws {
    noteChanges()
    while !stale.isEmpty {
      try await bringUpToDate(Array(stale))
      noteChanges()
    }
  }

  /// Gives up what was edited in objects and not saved: they are as they are stored.
  ///
  /// - Throws: ``VarveError`` where the store cannot be read.
  public func discardChanges(of objects: any StoredObject...) async throws {
    noteChanges()
    let ids = objects.filter(contains).map(\.id)
    stale.formUnion(ids)
    try await bringUpToDate(ids, discardsEdits: true)
  }

  /// Whether an object has properties that were edited and not saved, or was never saved.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`, and what the object's own code throws.
  public func hasChanges(_ object: any StoredObject) throws -> Bool {
    guard let entry = map[object.id], entry.object === object else { return true }
    var values = ObjectValues()
    try object.write(to: &values)
    return !entry.edits(object, values).isEmpty
  }

  /// Reads instances anew.
  func bringUpToDate(_ ids: [EntityID], discardsEdits: Bool = false) async throws {
    let mark = beginLoad()
    defer { endLoad() }
    let revisions = ids.reduce(into: [:]) { $0[$1] = map[$1]?.revision }
    let found = try await store.reading { state in
      var found: [EntityID: Refreshed] = [:]
      for id in ids where map[id]?.object != nil {
        guard let entity = try await state.backend.entity(id) else { continue }
        found[id] = try await Refreshed(
          entity,
          in: self,
          state,
          childKeys: map[id]?.childKeys ?? []
        )
      }
      return found
    }
    noteChanges()
    for refreshed in found.values { refreshed.children?.publish(in: self, since: mark) }
    for id in ids {
      guard let entry = map[id], let object = entry.object else {
        stale.remove(id)
        continue
      }
      // What this context saved meanwhile is newer than what was read.
      guard entry.revision == revisions[id] else { continue }
      if !hasChanged(id, since: mark) { stale.remove(id) }
      update(object, entry, found[id], discardsEdits)
    }
  }

  private func update(
    _ object: any StoredObject,
    _ entry: ObjectEntry,
    _ refreshed: Refreshed?,
    _ discardsEdits: Bool
  ) {
    guard let refreshed else {
      entry.isDeleted = true
      return
    }
    let entity = refreshed.entity
    guard entity.type == Swift.type(of: object).kind else {
      // The identifier is that of something else now.
      map.remove(entity.id)
      return
    }
    entry.isDeleted = false
    do {
      if let error = refreshed.failure { throw error }
      try takeOver(refreshed, object, entry, discardsEdits)
      entry.state = .entity(entity)
      entry.revision += 1
    } catch {
      let reason = UnreadableRow.Reason.failed("\(error)")
      UnreadableLog.note([UnreadableRow(type: entity.type, id: entity.id, key: nil, reason: reason)]
      )
    }
  }

  /// Has an object take over what is stored, but for what was edited.
  private func takeOver(
    _ refreshed: Refreshed,
    _ object: any StoredObject,
    _ entry: ObjectEntry,
    _ discardsEdits: Bool
  ) throws {
    let entity = refreshed.entity
    let stored = ObjectState.entity(try entity.asDocument())
    var state = stored
    var known: [EntityID: any StoredObject] = [:]
    if !discardsEdits {
      var values = ObjectValues()
      try object.write(to: &values)
      guard values.values.contains(where: { stored[$0.key] != entry.state[$0.key] }) else { return }
      state = stored.changing(entry.edits(object, values))
      for link in values.links { if let target = link.target { known[target.id] = target } }
    }
    for key in entry.childKeys {
      for id in state.references(under: key) where known[id] == nil {
        guard let child = map.live(id) ?? refreshed.children?.object(id) else {
          throw VarveError.noSuchDocument(id)
        }
        known[id] = child
      }
    }
    let links = LinkCollector(self, known: known)
    try object.read(ObjectRow(id: entity.id, kind: entity.type, state: state, links: links))
    if !entry.childKeys.isEmpty { loosenCycles(from: [object]) }
  }

  /// Loosens links that lead back to objects above them.
  func loosenCycles(from roots: [any StoredObject]) {
    var passed: [(any StoredObject, ObjectState)] = []
    let closing = LinkCycles.closing(roots) { object in
      var values = ObjectValues()
      try? object.write(to: &values)
      if let entry = map[object.id], entry.object === object {
        passed.append((object, entry.state))
      }
      let links = values.links.compactMap { $0 as? any StrictLink }
      for link in links { link.join(self) }
      return links
    }
    guard !closing.isEmpty else { return }
    let record = ObjectRecord(passed)
    for link in closing { link.loosen(record, in: self) }
  }
}

/// What was read to bring an object up to date.
private final class Refreshed {
  let entity: Entity
  /// Children it did not have before.
  private(set) var children: ObjectAssembly?
  /// Why one of them cannot be loaded.
  private(set) var failure: VarveError?

  init(
    _ entity: Entity,
    in objects: Objects,
    _ state: StateReader,
    childKeys: Set<PropertyKey>
  ) async throws {
    self.entity = entity
    let stored = ObjectState.entity(entity)
    let missing = childKeys.flatMap { stored.references(under: $0) }
      .filter { objects.map.live($0) == nil }
    guard !missing.isEmpty else { return }
    let assembly = ObjectAssembly(objects)
    do {
      for id in Set(missing) where assembly.object(id) == nil {
        let child = try await state.document(id)
        let type = try objects.type(of: child.type, id)
        try assembly.add(id, child.type, .entity(child), as: type)
        try await assembly.complete(from: state, in: objects)
      }
      children = assembly
    } catch let error as VarveError {
      failure = error
    }
  }
}
