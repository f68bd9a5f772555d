public import VarveCore

extension Objects {
  /// Saves objects and all they lead to that is at hand, as one commit: each once, what they lead to
  /// before them, only what was edited. Those of which nothing was edited are not written.
  ///
  /// ```swift
  /// try await objects.save(diagram, author: "sam")  // and its circles
  /// ```
  ///
  /// Objects that were new are live instances of the context then.
  ///
  /// - Parameters:
  ///   - objects: what to save.
  ///   - author: who writes; empty where nobody is named.
  ///   - message: why; may be empty.
  /// - Returns: the commit; nil where nothing was to be written.
  /// - Throws: ``VarveError``, with nothing written and no object changed: `notEncodable` naming the
  ///   property; `validationFailed`; `notFound` for an object that was erased; `duplicateIdentifier`
  ///   where another instance has the identifier; `typeMismatch`; `unregisteredKind` where another
  ///   class is registered for the kind.
  /// - Complexity: O(objects × log entities).
  @discardableResult
  public func save(
    _ objects: any StoredObject...,
    author: String = "",
    message: String = ""
  ) async throws -> CommitSummary? {
    try await save(objects, author: author, message: message)
  }

  /// Saves a list of objects, as one commit. See ``save(_:author:message:)-(StoredObject...,_,_)``.
  @discardableResult
  public func save(
    _ objects: [any StoredObject],
    author: String = "",
    message: String = ""
  ) async throws -> CommitSummary? {
    let graph = try ObjectGraph(objects, in: self)
    let writes = graph.nodes.compactMap(\.write)
    let mark = beginLoad()
    defer { endLoad() }
    var commit: CommitSummary?
    if !writes.isEmpty {
      commit = try await store.commit(as: .save, author: author, message: message) { tx in
        for write in writes { try await tx.perform { try await $0.save(write) } }
      }.commit
    }
    adopt(graph)
    note(own: commit, of: graph.nodes.map(\.object.id), since: mark)
    return commit
  }

  /// Erases objects and what they alone own, as one commit; the context forgets the instances.
  ///
  /// Children are not owned by being children; they stay.
  ///
  /// - Returns: everything that died by it.
  /// - Throws: ``VarveError`` with code `hookRefused`, and as ``Store/write(as:author:message:at:_:)``.
  @discardableResult
  public func delete(
    _ objects: any StoredObject...,
    author: String = "",
    message: String = ""
  ) async throws -> [EntityID] {
    let ids = objects.map(\.id)
    let mark = beginLoad()
    defer { endLoad() }
    let (died, commit) = try await store.commit(as: .delete, author: author, message: message) {
      try await $0.erase(ids)
    }
    for id in died { map[id]?.isDeleted = true }
    note(own: commit, of: died, since: mark)
    return died
  }

  /// What was saved is what the store has; what was new is live.
  private func adopt(_ graph: ObjectGraph) {
    for node in graph.nodes {
      let object = node.object
      if let entry = map[object.id], entry.object === object {
        entry.save(node.edits, node.values)
      } else {
        let entry = ObjectEntry(object, .nothing)
        entry.save(node.edits, node.values)
        map.insert(entry, for: object.id)
      }
      for link in node.values.links {
        link.join(self)
        link.settle()
      }
    }
    if graph.hasCycles { loosenCycles(from: graph.roots) }
  }

  /// A commit of this context can be undone, and tells it nothing new. What others wrote since it
  /// began does.
  private func note(own commit: CommitSummary?, of ids: [EntityID], since mark: Int) {
    if let commit { undoing.note(commit.id) }
    noteChanges(own: commit?.id)
    let others = ids.filter { hasChangedElsewhere($0, since: mark) }
    if !others.isEmpty { readSoon(others) }
  }
}

/// What saving writes of one object.
struct ObjectWrite: Sendable {
  let kind: EntityType
  let id: EntityID
  let changes: [PropertyChange]
}

extension CommitWriter {
  func save(_ write: ObjectWrite) async throws {
    _ = try await save(
      write.kind,
      id: write.id,
      write.changes,
      comparesSemanticTypes: false,
      at: nil
    )
  }
}
