import VarveCore
import VarveStore

/// A relation that waits until all entities of a part of the document are there.
struct RelationTask {
  let source: EntityID
  var change: RelationChange
  /// Whether the document has null, which empties what was set and sets nothing.
  var isNull = false
  /// Of a relation of an entity there was: the targets that go. The relation itself is not written
  /// here; only what goes along with it is.
  var dropped: [EntityID]?

  struct Key: Hashable {
    let source: EntityID
    let key: PropertyKey
  }

  var key: Key { Key(source: source, key: change.link.relation.key) }
}

/// The relations that wait, one of each entity and key: the last that was said counts.
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
      tasks[index].change = task.change
      return
    }
    let before = link.relation.many == nil ? [] : tasks[index].change.targets
    tasks[index].change.targets = RelationChange.targets(before, task.change.targets, link)
    tasks[index].isNull = task.isNull
  }

  /// Whether a relation of an entity waits.
  func contains(_ source: EntityID, _ link: CompiledMapping.Link) -> Bool {
    guard !tasks.isEmpty else { return false }
    return indices[RelationTask.Key(source: source, key: link.relation.key)] != nil
  }

  /// The relations, which wait no longer.
  mutating func takeAll() -> [RelationTask] {
    guard !tasks.isEmpty else { return [] }
    defer {
      tasks.removeAll(keepingCapacity: true)
      indices.removeAll(keepingCapacity: true)
    }
    return tasks
  }
}
