import VarveCore
import VarveStore

/// Rejects what a backdated import cannot express because later data is stored.
extension ImportRun {
  /// Throws if the subject was erased later than the import's time.
  func refuseLaterEnd(of subject: Subject) async throws {
    guard let past, case .erased = try await transaction.status(of: subject.id) else { return }
    guard let time = try await transaction.lastTime(of: subject.id), time > past.time else {
      return
    }
    throw refusal("\(subject.id) was erased later than the time of the document", subject.id)
  }

  /// Throws if the changed entity is dead by now.
  func refuseLaterEnd(of change: NetChanges.Change) async throws {
    guard past != nil else { return }
    if case .live = try await transaction.status(of: change.id) { return }
    throw refusal("\(change.id) ended later than the time of the document", change.id)
  }

  /// Throws if edges would be declared or removed and the relation changed later.
  func refuseLaterEdges(_ change: RelationChange, of id: EntityID) async throws {
    guard let past, change.link.relation.edge != nil else { return }
    let key = change.link.relation.key
    guard let time = try await transaction.lastTime(of: id, key), time > past.time else { return }
    throw refusal(
      "the relation \"\(key)\" of \(id) changed later than the time of the document",
      id
    )
  }

  /// Throws if an entity with later data would end, because it still existed
  /// then.
  func refuseLaterEnd(of leftOut: [EntityID], _ preview: ErasurePreview) async throws {
    guard let past else { return }
    for id in leftOut where preview.missing.contains(id) {
      throw refusal("\(id) ended later than the time of the document, which omits it", id)
    }
    for death in preview.deaths {
      guard let time = try await transaction.lastTime(of: death.id), time > past.time else {
        continue
      }
      throw refusal("\(death.id) would end, but has later data", death.id)
    }
    for type in Set(preview.deaths.map(\.type)).sorted() {
      let later = Query(type).where(.compare(.modified, .greater, .date(past.time.date)))
      guard let one = try await transaction.first(later) else { continue }
      throw refusal(
        "the document omits entities of type \(type), which has later data",
        one.id
      )
    }
  }

  private func refusal(_ message: String, _ id: EntityID) -> VarveError {
    VarveError(
      .invalidArgument,
      message,
      at: "entity \(id)",
      remedy: "Import dated documents in the order of their dates.",
      entity: id
    )
  }
}
