import VarveCore
import VarveEntities
import VarveModels

extension Objects {
  /// Brings all live instances up to date with the changes of other writers.
  ///
  /// The context does so by itself in a turn on its actor; this method waits for it.
  ///
  /// - Throws: ``VarveError`` if the store cannot be read, `closed` and `suspended` among its codes. An
  ///   instance that cannot read the stored values stays as it is, which is logged.
  /// - Complexity: O(live instances that changed × log entities).
  public func refresh() async throws {
    // Where nothing changed, nothing else would be read.
    try await store.reading { _ in }
    try await store.reportNews()
    try await takeOverChanges()
  }

  /// Brings all live instances up to date with the changes received so far.
  func takeOverChanges() async throws {
    noteChanges()
    while !stale.isEmpty {
      try await bringUpToDate(Array(stale))
      noteChanges()
    }
  }

  /// Discards the unsaved edits of objects and restores their stored values.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` for an object that belongs to another context, and
  ///   the errors of reading the store.
  public func discardChanges(of objects: any StoredObject...) async throws {
    for object in objects { try ObjectOwners.refuseForeign(object, to: self) }
    noteChanges()
    var ids = objects.filter(contains).map(\.id)
    stale.formUnion(ids)
    while !ids.isEmpty { ids = try await bringUpToDate(ids, discardsEdits: true) }
  }

  /// Returns whether an object has unsaved edits, or was never saved.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` for an object that belongs to another context,
  ///   `notEncodable`; and the errors of the object's own code.
  public func hasChanges(_ object: any StoredObject) throws -> Bool {
    try ObjectOwners.refuseForeign(object, to: self)
    guard let entry = map[object.id], entry.object === object else { return true }
    var values = ObjectValues()
    try object.write(to: &values)
    return !entry.edits(object, values).isEmpty
  }

  /// Reads the values of an instance again. What it has then is no older than this call.
  func readAgain(_ id: EntityID) async throws {
    // An older read may end first. The instance is then read once more.
    while try await !bringUpToDate([id]).isEmpty {}
  }

  /// Reads the values of instances again.
  ///
  /// - Returns: the instances that were saved, erased or read meanwhile, which are unchanged.
  @discardableResult
  func bringUpToDate(_ ids: [EntityID], discardsEdits: Bool = false) async throws -> [EntityID] {
    try store.refuseInsideOwnWrite("refresh")
    let mark = beginLoad()
    defer { endLoad() }
    let revisions = ids.reduce(into: [:]) { $0[$1] = map[$1]?.revision }
    let found = try await store.reading { state in
      var found: [EntityID: Refreshed] = [:]
      for id in ids {
        guard let object = map[id]?.object, let entity = try await state.reader.entity(id) else {
          continue
        }
        found[id] = try await Refreshed(entity, object, in: self, state)
      }
      return found
    }
    noteChanges()
    for refreshed in found.values { refreshed.children.publish(in: self, since: mark) }
    var passed: [EntityID] = []
    var linked: [any StoredObject] = []
    for id in ids {
      guard let entry = map[id], let object = entry.object else {
        stale.remove(id)
        continue
      }
      // What this context saved, erased or read meanwhile is newer than what was read.
      guard entry.revision == revisions[id] else {
        passed.append(id)
        continue
      }
      if !hasChanged(id, since: mark) { stale.remove(id) }
      if update(object, entry, found[id], discardsEdits) { linked.append(object) }
    }
    // A released object is created again from what its entry has, so every entry has the new values
    // before a link is released.
    if !linked.isEmpty { loosenCycles(from: linked) }
    return passed
  }

  /// Updates an object with the values that were read. Returns whether it took over values
  /// and has links.
  private func update(
    _ object: any StoredObject,
    _ entry: ObjectEntry,
    _ refreshed: Refreshed?,
    _ discardsEdits: Bool
  ) -> Bool {
    guard let refreshed else {
      entry.learn(isDeleted: true)
      return false
    }
    let entity = refreshed.entity
    guard entity.type == Swift.type(of: object).kind else {
      // The identifier belongs to a different object now.
      map.remove(entity.id)
      return false
    }
    entry.learn(isDeleted: false)
    do {
      if let error = refreshed.failure { throw error }
      let taken = try takeOver(refreshed, object, entry, discardsEdits)
      entry.state = .entity(entity)
      if let taken, taken.usesDefaults { entry.noteDefaults(of: object, but: taken.edits) }
      return taken?.isLinked ?? false
    } catch {
      unreadable.insert(entity.id)
      let reason = UnreadableRow.Reason.failed("\(error)")
      let row = UnreadableRow(type: entity.type, id: entity.id, key: nil, reason: reason)
      UnreadableLog.note([row])
      return false
    }
  }

  /// What an object took over from the store.
  private struct Taken {
    let usesDefaults: Bool
    let edits: [PropertyKey: Value?]
    let isLinked: Bool
  }

  /// Updates an object with the stored values, except for its edits. Returns nil if it has them.
  private func takeOver(
    _ refreshed: Refreshed,
    _ object: any StoredObject,
    _ entry: ObjectEntry,
    _ discardsEdits: Bool
  ) throws -> Taken? {
    let (id, kind) = (refreshed.entity.id, refreshed.entity.type)
    let stored = ObjectState.entity(refreshed.entity)
    var state = stored
    var known = refreshed.targets(in: self)
    var edits: [PropertyKey: Value?] = [:]
    if !discardsEdits {
      guard refreshed.asked.contains(where: { stored[$0] != entry.state[$0] }) else { return nil }
      var values = ObjectValues()
      try object.write(to: &values)
      edits = entry.edits(object, values)
      state = stored.changing(edits)
      for link in values.links { if let target = link.target { known[target.id] = target } }
    }
    // A second instance reads the row first, so that a failure does not leave the object half read.
    let trial = LinkCollector(nil, known: known)
    _ = try FreshObject(id, kind, state, as: Swift.type(of: object), trial)
    if let link = trial.strict.first {
      guard let target = known[link.id] else { throw VarveError.noSuchDocument(link.id) }
      let actual = Swift.type(of: target).kind
      throw VarveError.kindMismatch(of: link.id, expected: link.expected, actual: actual)
    }
    let links = LinkCollector(self, known: known)
    try object.read(ObjectRow(id: id, kind: kind, state: state, links: links))
    return Taken(usesDefaults: links.usesDefaults, edits: edits, isLinked: !known.isEmpty)
  }
}
