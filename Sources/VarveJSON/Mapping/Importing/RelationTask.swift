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
  /// What an object says of a relation, in the order of the document.
  struct Saying {
    /// The place of the relation among all.
    let task: Int
    let targets: [EntityID]
  }

  private var tasks: [RelationTask] = []
  private var indices: [RelationTask.Key: Int] = [:]
  private var sayings: [Saying] = []

  mutating func add(_ task: RelationTask) {
    if task.change.link.inverse != nil {
      let place = indices[task.key] ?? tasks.count
      sayings.append(Saying(task: place, targets: task.change.declared))
    }
    guard let index = indices[task.key] else {
      indices[task.key] = tasks.count
      return tasks.append(task)
    }
    let link = task.change.link
    if let dropped = task.dropped {
      let kept = Set(task.change.targets)
      tasks[index].dropped = RelationChange.unique((tasks[index].dropped ?? []) + dropped)
        .filter { !kept.contains($0) }
      let before = tasks[index].change.said
      tasks[index].change = task.change
      if let said = task.change.said, let before { tasks[index].change.said = before + said }
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

  /// The relations, which wait no longer, and what was said of those with an inverse.
  mutating func takeAll() -> (tasks: [RelationTask], sayings: [Saying]) {
    guard !tasks.isEmpty else { return ([], []) }
    defer {
      tasks.removeAll(keepingCapacity: true)
      indices.removeAll(keepingCapacity: true)
      sayings.removeAll(keepingCapacity: true)
    }
    return (tasks, sayings)
  }
}
