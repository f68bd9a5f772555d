import Foundation
import VarveCore
import VarveStore

extension StoreOperation {
  /// Checks that the write that was just made can be read back.
  ///
  /// - Parameter isDated: whether the whole transaction is dated.
  func confirm(in transaction: WriteTransaction, isDated: Bool) async throws {
    switch self {
    case .create(let id, _, let properties, _):
      let entity = try await transaction.entity(id)
      let found = entity.map { "\($0.type) \($0.properties)" } ?? "nothing"
      try confirm(
        entity?.properties == properties,
        "the creation, in the place of which is \(found),"
      )
    case .set(let id, let key, let value, _, nil) where !isDated:
      try await confirm(transaction.entity(id)?[key] == value, "the value")
    case .set(let id, let key, let value?, _, let time?):
      try await confirmDated(id, key, value, HybridTime(time), in: transaction)
    case .update(let id, let properties, nil) where !isDated:
      let entity = try await transaction.entity(id)
      for (key, property) in properties {
        try confirm(entity?.property(key) == property, "the updated \(key)")
      }
    case .arrange(let id, let key, let arranging, let targets, let kind, nil) where !isDated:
      let elements = try await transaction.collection(of: id, key, as: kind)
      try await confirm(arranging, targets, elements, kind, in: transaction)
    case .relate(let from, let kind, let to, let name, nil) where !isDated:
      let related = try await transaction.relatedIDs(from, kind, named: name)
      try confirm(related.contains(to), "the relation")
    case .unrelate(let from, let kind, let to, let name, _, nil) where !isDated:
      let related = try await transaction.relatedIDs(from, kind, named: name)
      try confirm(!related.contains(to), "the end of the relation")
    case .erase(let ids, _, _):
      for id in ids { try await confirm(transaction.entity(id) == nil, "the death of \(id)") }
    case .mergeDuplicates(let ids, let kept, _, _):
      try await confirm(transaction.entity(kept) != nil, "the kept entity")
      for id in ids where id != kept {
        try await confirm(transaction.entity(id) == nil, "the death of \(id)")
      }
    case .restore(let id, _, _):
      try await confirm(transaction.entity(id) != nil, "the restored entity")
    case .saveStall(let id, let name, let caps, let shelf) where !isDated:
      try await confirm(transaction.entity(id)?["name"] == .string(name), "the stall")
      if let caps {
        let owned = try await transaction.relatedIDs(id, .owns, named: "caps")
        let known = try await transaction.entities(caps).compactMap { $0?.id }
        try confirm(Set(known).isSubset(of: owned), "the owned entities")
      }
      guard let shelf else { return }
      let elements = try await transaction.collection(of: id, "shelf")
      try await confirm(.set, shelf, elements, .list, in: transaction)
    case .saveCap(let id, let color, let size, let stall) where !isDated:
      let cap = try await transaction.find(Identifier<Cap>(id))
      let isThere = cap?.color == color && cap?.size == size && cap?.stall?.id.entityID == stall
      try confirm(isThere, "the cap")
    case .updateCaps(let color, let size, let stall) where !isDated:
      for cap in try await transaction.fetch(Cap.where { $0.color == color }) {
        let isThere = cap.size == size && (stall == nil || cap.stall?.id.entityID == stall)
        try confirm(isThere, "what all caps have, in \(cap.id),")
      }
    case .updateAll(let selection, let properties, nil)
    where !isDated && selection.condition == .anything && selection.limit == nil:
      for entity in try await transaction.fetch(selection.query) {
        for (key, property) in properties {
          try confirm(entity.property(key) == property, "\(key) of \(entity.id)")
        }
      }
    case .eraseAll(let selection, _) where selection.limit == nil:
      try await confirm(transaction.count(selection.query) == 0, "the death of all")
    default: break
    }
  }

  private func confirm(_ isThere: Bool, _ what: String) throws {
    guard !isThere else { return }
    throw StoreFailure(.readBack, "\(what) is missing after \(self)")
  }

  /// Checks that the greatest version of the date has the value.
  private func confirmDated(
    _ id: EntityID,
    _ key: PropertyKey,
    _ value: Value,
    _ time: HybridTime,
    in transaction: WriteTransaction
  ) async throws {
    let versions = try await transaction.history(of: id, key)
    // A life may begin within the date, after a former one.
    let exact = versions.first { $0.time == time && $0.content.key == key }
    let within = versions.first {
      (time...time.lastOfDate).contains($0.time) && $0.content.key == key
    }
    try confirm(exact?.value == value || within?.value == value, "the dated value")
  }

  private func confirm(
    _ arranging: Arranging,
    _ targets: [EntityID],
    _ elements: [EntityID]?,
    _ kind: CollectionKind,
    in transaction: WriteTransaction
  ) async throws {
    var wanted: [EntityID] = []
    for target in targets {
      switch try await transaction.status(of: target) {
      case .erased, .dead: break
      case .live, .unknown:
        if kind == .list || !wanted.contains(target) { wanted.append(target) }
      }
    }
    let present = elements ?? []
    switch (arranging, kind) {
    case (.set, .set): try confirm(Set(present) == Set(wanted), "the set")
    case (.set, _): try confirm(present == wanted, "the list, which is \(present),")
    case (.add, _): try confirm(Set(wanted).isSubset(of: present), "the added elements")
    case (.remove, .list): break
    case (.remove, _): try confirm(Set(wanted).isDisjoint(with: present), "the removal")
    }
  }
}
