public import VarveCore
import VarveEntities

extension Objects {
  /// Saves objects and everything in memory that they link to, in one commit: each once, targets
  /// first, and only their edited properties. Unedited objects are not written.
  ///
  /// ```swift
  /// try await objects.save(diagram, author: "sam")  // and its circles
  /// ```
  ///
  /// New objects become live instances of the context.
  ///
  /// - Parameters:
  ///   - objects: the objects.
  ///   - author: the author of the commit; nil if there is none.
  ///   - message: the reason; nil if there is none.
  /// - Returns: the commit; nil if there was nothing to write.
  /// - Throws: ``VarveError``, with nothing written and no object changed: `notEncodable` with the
  ///   name of the property; `validationFailed`; `notFound` for an object that was erased;
  ///   `duplicateIdentifier` if another instance has the identifier; `typeMismatch`;
  ///   `unregisteredKind` if the class is not registered for its kind; `malformedDocument` if the
  ///   kind is empty; `invalidArgument` for an object that belongs to another context.
  /// - Complexity: O(objects × log entities).
  @discardableResult
  public func save(
    _ objects: any StoredObject...,
    author: String? = nil,
    message: String? = nil
  ) async throws -> CommitSummary? {
    try await save(objects, author: author, message: message)
  }

  /// Saves a list of objects in one commit. See ``save(_:author:message:)-(StoredObject...,_,_)``.
  @discardableResult
  public func save(
    _ objects: [any StoredObject],
    author: String? = nil,
    message: String? = nil
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

  /// Erases objects and what they alone own, in one commit. The context forgets the instances.
  ///
  /// A ``Child`` stays unless it is owned, by `@Relation(.owns)`.
  ///
  /// - Returns: everything that died.
  /// - Throws: ``VarveError`` with code `hookRefused`, and as
  ///   ``Store/write(as:author:message:at:_:)``.
  @discardableResult
  public func erase(
    _ objects: any StoredObject...,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    let ids = objects.map(\.id)
    let mark = beginLoad()
    defer { endLoad() }
    let (died, commit) = try await store.commit(as: .erase, author: author, message: message) {
      try await $0.erase(ids)
    }
    for id in died { map[id]?.learn(isDeleted: true) }
    note(own: commit, of: died, since: mark)
    return died
  }

  /// Records the saved values as the stored ones, and new objects as live.
  private func adopt(_ graph: ObjectGraph) {
    for node in graph.nodes {
      let object = node.object
      if let entry = map[object.id], entry.object === object {
        entry.save(node.edits, node.values)
      } else {
        let entry = ObjectEntry(object, .nothing)
        entry.save(node.edits, node.values)
        map.insert(entry, for: object.id)
        ObjectOwners.note(object, in: self)
      }
      for link in node.values.links {
        link.join(self)
        link.settle()
      }
    }
    if graph.hasCycles { loosenCycles(from: graph.roots) }
  }

  /// Records a commit of this context as undoable, and as known. Objects that other writers changed
  /// since the save began are read again.
  private func note(own commit: CommitSummary?, of ids: [EntityID], since mark: Int) {
    if let commit { undoing.note(commit.id) }
    noteChanges(own: commit?.id)
    let others = ids.filter { hasChangedElsewhere($0, since: mark) }
    if !others.isEmpty { readSoon(others) }
  }
}
