import VarveCore
import VarveStore

/// A relation whose targets are written when all entities of a part of the document are.
struct CollectionTask {
  let subject: Subject
  var source: EntityID { subject.id }
  let mapping: CompiledMapping
  let link: CompiledMapping.Link
  let targets: [EntityID]
  /// What a relation to one had; nil for a relation to many.
  let former: [EntityID]?
  /// Whether the document has null, which empties what was set and sets nothing.
  var isNull = false

  init(
    _ subject: Subject,
    _ draft: Draft,
    _ link: Int,
    _ targets: [EntityID],
    former: [EntityID]? = nil
  ) {
    self.subject = subject
    mapping = draft.mapping
    self.link = draft.mapping.links[link]
    self.targets = targets
    self.former = former
  }
}

extension ImportRun {
  /// Writes a relation to many, and what goes along with a relation.
  func write(_ task: CollectionTask) async throws {
    guard let kind = task.link.relation.many else {
      return try await relate(task, from: task.former ?? [], to: task.targets)
    }
    let key = task.link.relation.key
    let present = try await transaction.collection(of: task.source, key)
    if task.isNull, present == nil { return }
    let wanted = Self.union(present ?? [], task.targets, task.link.policy, kind)
    let hasChanged =
      task.link.policy == .merge
      ? try await merge(task, present, wanted, kind)
      : try await transaction.setCollection(task.source, key, to: wanted, as: kind)
    if hasChanged { ledger.related(task.subject, task.mapping, key) }
    let kept = Set(wanted)
    let former = (present ?? []).filter { !kept.contains($0) }
    if task.link.policy == .replace { for id in former { displacement.add(id) } }
    try await relate(task, from: present ?? [], to: wanted)
  }

  private func merge(
    _ task: CollectionTask,
    _ present: [EntityID]?,
    _ wanted: [EntityID],
    _ kind: CollectionKind
  ) async throws -> Bool {
    let new = Array(wanted.dropFirst(present?.count ?? 0))
    guard !new.isEmpty || present == nil else { return false }
    return try await transaction.addToCollection(
      task.source,
      task.link.relation.key,
      new,
      as: kind
    )
  }

  /// What a relation to many shall hold.
  private static func union(
    _ present: [EntityID],
    _ targets: [EntityID],
    _ policy: RelationPolicy,
    _ kind: CollectionKind
  ) -> [EntityID] {
    guard policy == .merge else { return targets }
    var seen = Set(present)
    return present + targets.filter { seen.insert($0).inserted }
  }

  /// Declares the edges and inverse properties of a relation, and takes back those of what it had.
  private func relate(
    _ task: CollectionTask,
    from former: [EntityID],
    to targets: [EntityID]
  ) async throws {
    let relation = task.link.relation
    guard relation.edge != nil || relation.inverse != nil else { return }
    let wanted = Set(targets)
    for other in former where !wanted.contains(other) {
      if let kind = relation.edge {
        try await transaction.unrelate(task.source, kind, other, named: relation.key)
      }
      if let inverse = relation.inverse, let entity = try await transaction.entity(other),
        entity[inverse] == .reference(task.source)
      {
        let none: [PropertyKey: Value?] = [inverse: nil]
        try await transaction.update(other, none)
      }
    }
    let edges = try await declared(relation, of: task.source, among: targets)
    for other in targets {
      if let kind = relation.edge, !edges.contains(other) {
        try await transaction.relate(task.source, kind, other, named: relation.key)
      }
      if let inverse = relation.inverse {
        try await transaction.update(other, [inverse: .reference(task.source)])
      }
    }
  }

  /// The targets an edge is declared to already.
  private func declared(
    _ relation: MappedRelation,
    of source: EntityID,
    among targets: [EntityID]
  ) async throws -> Set<EntityID> {
    guard let kind = relation.edge, !targets.isEmpty else { return [] }
    return Set(try await transaction.relatedIDs(source, kind, named: relation.key))
  }
}
