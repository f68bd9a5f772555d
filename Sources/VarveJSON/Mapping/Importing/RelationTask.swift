import VarveCore
import VarveStore

/// A relation that waits until all entities of a part of the document exist.
struct RelationTask {
  let source: EntityID
  var change: RelationChange
  /// Whether the document has null, which empties a relation that was set and does not set one.
  var isNull = false
  /// The removed targets of a relation of an existing entity. The relation itself is written
  /// elsewhere; this task writes its edges and passes on its inverses.
  var dropped: [EntityID]?
  /// The targets of a relation of an entity of this import that a later object replaced. An inverse
  /// may name the entity from before: from its former life, or because it was unknown.
  var replaced: [EntityID] = []

  struct Key: Hashable {
    let source: EntityID
    let key: PropertyKey
  }

  var key: Key { Key(source: source, key: change.link.relation.key) }
}

/// The waiting relations, one for each entity and key. The last one counts.
struct RelationTasks {
  private var tasks: [RelationTask] = []
  private var indices: [RelationTask.Key: Int] = [:]

  mutating func add(_ task: RelationTask) {
    guard let index = indices[task.key] else {
      indices[task.key] = tasks.count
      return tasks.append(task)
    }
    let link = task.change.link
    if let dropped = task.dropped {
      let kept = Set(task.change.targets)
      tasks[index].dropped = RelationChange.unique((tasks[index].dropped ?? []) + dropped)
        .filter { !kept.contains($0) }
      let before = tasks[index].change.declared
      tasks[index].change = task.change
      if let said = task.change.said { tasks[index].change.said = before + said }
      return
    }
    tasks[index].replaced += tasks[index].change.targets
    let before = link.relation.many == nil ? [] : tasks[index].change.targets
    tasks[index].change.targets = RelationChange.targets(before, task.change.targets, link)
    tasks[index].isNull = task.isNull
  }

  /// Returns whether a relation of an entity waits.
  func contains(_ source: EntityID, _ link: CompiledMapping.Link) -> Bool {
    guard !tasks.isEmpty else { return false }
    return indices[RelationTask.Key(source: source, key: link.relation.key)] != nil
  }

  /// Returns and removes the waiting relations.
  mutating func takeAll() -> [RelationTask] {
    guard !tasks.isEmpty else { return [] }
    defer {
      tasks.removeAll(keepingCapacity: true)
      indices.removeAll(keepingCapacity: true)
    }
    return tasks
  }
}
