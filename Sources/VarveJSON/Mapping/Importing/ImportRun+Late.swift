import VarveCore
import VarveStore

/// Rejects what a backdated import cannot express because later data is stored.
extension ImportRun {
  /// Throws if the subject was erased later than the import's time.
  func refuseLaterEnd(of subject: Subject) async throws {
    try await past?.refuseCreation(of: subject.id)
  }

  /// Throws if the changed entity is dead by now.
  func refuseLaterEnd(of change: NetChanges.Change) async throws {
    try await past?.refuseChange(of: change.id)
  }

  /// Throws if edges would be declared or removed and the relation changed later.
  func refuseLaterEdges(_ change: RelationChange, of id: EntityID) async throws {
    guard let past, change.link.relation.edge != nil else { return }
    let key = change.link.relation.key
    guard let time = try await transaction.lastTime(of: id, key), time > past.time else { return }
    throw past.laterRelation(key, of: id)
  }

  /// Throws if an entity with later data would end, because it still existed
  /// then.
  func refuseLaterEnd(of leftOut: [EntityID], _ preview: ErasurePreview) async throws {
    try await past?.refuseErasure(of: leftOut, preview)
  }
}
