package import Foundation
package import VarveCore
package import VarveStore

/// An operation inside a write of a store, through the public interface.
package enum StoreOperation: Hashable, Sendable {
  case create(EntityID, EntityType, [PropertyKey: StoredEntity.Property], at: Date?)
  case createMany(EntityType, [EntityID], [PropertyKey], [[Value?]], at: Date?)
  case save(EntityID, EntityType, [PropertyKey: StoredEntity.Property], at: Date?)
  case update(EntityID, [PropertyKey: StoredEntity.Property?], at: Date?)
  case set(EntityID, PropertyKey, Value?, semanticType: String?, at: Date?)
  case arrange(EntityID, PropertyKey, Arranging, [EntityID], CollectionKind, at: Date?)
  case relate(EntityID, RelationKind, EntityID, named: PropertyKey, at: Date?)
  case unrelate(EntityID, RelationKind, EntityID, named: PropertyKey, OrphanPolicy?, at: Date?)
  case erase([EntityID], strict: Bool, at: Date?)
  case restore(EntityID, RestoreMode, at: Date?)
  case purge([EntityID])
  case makeRoot(EntityID, at: Date?)
  case mergeDuplicates([EntityID], into: EntityID, DuplicatePolicy, at: Date?)
  case removeRepetitions(EntityID, PropertyKey)
  case saveStall(EntityID, String, caps: [EntityID]?, shelf: [EntityID]?)
  case saveCap(EntityID, String, Int?, stall: EntityID?)
  /// Writes to the entity that has the value under the key, or creates one.
  case upsert(EntityType, PropertyKey, EntityID, [PropertyKey: StoredEntity.Property], at: Date?)
  case insert(EntityType, PropertyKey, EntityID, [PropertyKey: StoredEntity.Property], at: Date?)
  /// Writes properties of an entity that has a value.
  case updateExpecting(EntityID, [PropertyKey: Value?], PropertyKey, Value?)
  /// Writes properties of all entities of a query.
  case updateAll(StoreSelection, [PropertyKey: StoredEntity.Property?], at: Date?)
  case eraseAll(StoreSelection, at: Date?)
  /// Sets properties of all caps of a color.
  case updateCaps(String, size: Int?, stall: EntityID?)
  /// Performs operations as an attempt, which may throw at its end and so be undone.
  case attempt([StoreOperation], fails: Bool)
  /// Reads a model and saves it unchanged.
  case saveUnchanged(EntityID)

  /// A change of a to-many property.
  package enum Arranging: Hashable, Sendable, CaseIterable {
    case set
    case add
    case remove
  }
}

extension StoreOperation {
  /// Whether it is written for a date.
  package var isDated: Bool {
    switch self {
    case .create(_, _, _, let time), .createMany(_, _, _, _, let time), .save(_, _, _, let time),
      .update(_, _, let time), .set(_, _, _, _, let time), .arrange(_, _, _, _, _, let time),
      .relate(_, _, _, _, let time), .unrelate(_, _, _, _, _, let time), .erase(_, _, let time),
      .restore(_, _, let time), .makeRoot(_, let time), .mergeDuplicates(_, _, _, let time),
      .upsert(_, _, _, _, let time), .insert(_, _, _, _, let time), .updateAll(_, _, let time),
      .eraseAll(_, let time):
      time != nil
    case .attempt(let operations, _): operations.contains(where: \.isDated)
    case .purge, .removeRepetitions, .saveStall, .saveCap, .updateExpecting, .updateCaps,
      .saveUnchanged:
      false
    }
  }

  /// Performs the operation. Throws if the rules refuse it.
  package func apply(to transaction: WriteTransaction) async throws {
    switch self {
    case .create(let id, let type, let properties, let time):
      try await transaction.create(type, id: id, properties: properties, at: time)
    case .createMany(let type, let ids, let keys, let values, let time):
      let rows = Array(zip(ids, values))
      try await transaction.create(type, keys: keys, rows: rows, at: time)
    case .save(let id, let type, let properties, let time):
      try await transaction.save(type, id: id, properties: properties, at: time)
    case .update(let id, let properties, let time):
      try await transaction.update(id, properties: properties, at: time)
    case .set(let id, let key, let value, let semanticType, let time):
      try await transaction.set(id, key, value, semanticType: semanticType, at: time)
    case .arrange(let id, let key, let arranging, let targets, let kind, let time):
      try await arranging.apply(to: transaction, id, key, targets, kind, time)
    case .relate(let from, let kind, let to, let name, let time):
      try await transaction.relate(from, kind, to, named: name, at: time)
    case .unrelate(let from, let kind, let to, let name, let orphans, let time):
      try await transaction.unrelate(from, kind, to, named: name, orphans: orphans, at: time)
    case .erase(let ids, let isStrict, let time):
      try await transaction.erase(ids, strict: isStrict, at: time)
    case .restore(let id, let mode, let time):
      try await transaction.restore(id, mode, at: time)
    case .purge(let ids): try await transaction.purge(ids)
    case .makeRoot(let id, let time): try await transaction.makeRoot(id, at: time)
    case .mergeDuplicates(let ids, let kept, let policy, let time):
      try await transaction.mergeDuplicates(ids, into: kept, policy, at: time)
    case .removeRepetitions(let id, let key):
      try await transaction.removeRepetitions(of: id, key)
    case .upsert(let type, let key, let id, let properties, let time):
      try await transaction.upsert(type, on: [key], id: id, properties: properties, at: time)
    case .insert(let type, let key, let id, let properties, let time):
      try await transaction.insert(type, ifAbsent: [key], id: id, properties: properties, at: time)
    case .updateExpecting(let id, let properties, let key, let value):
      try await transaction.update(id, properties, expecting: [key: value])
    case .updateAll(let selection, let properties, let time):
      try await transaction.update(selection.query, properties: properties, at: time)
    case .eraseAll(let selection, let time):
      try await transaction.erase(selection.query, at: time)
    case .updateCaps(let color, let size, let stall):
      try await transaction.update(Cap.where { $0.color == color }) { caps in
        caps.set(\.size, size)
        if let stall { caps.set(\.stall, Ref(Identifier(stall))) }
      }
    case .attempt(let operations, let fails):
      try await Self.attempt(operations, fails: fails, in: transaction)
    case .saveStall, .saveCap, .saveUnchanged: try await saveModel(to: transaction)
    }
  }

  /// The error that a failing attempt throws.
  private struct GivenUp: Error {}

  private static func attempt(
    _ operations: [StoreOperation],
    fails: Bool,
    in transaction: WriteTransaction
  ) async throws {
    do {
      try await transaction.attempt {
        for operation in operations { try await operation.apply(to: transaction) }
        if fails { throw GivenUp() }
      }
    } catch is GivenUp {}
  }

  private func saveModel(to transaction: WriteTransaction) async throws {
    switch self {
    case .saveStall(let id, let name, let caps, let shelf):
      var stall = Stall(id: Identifier(id), name: name)
      if let caps { stall.caps = Many(ids: caps.map { Identifier($0) }) }
      if let shelf { stall.shelf = Many(ids: shelf.map { Identifier($0) }) }
      try await transaction.save(stall)
    case .saveCap(let id, let color, let size, let stall):
      var cap = Cap(id: Identifier(id), color: color, size: size)
      cap.stall = stall.map { Ref(Identifier($0)) }
      try await transaction.save(cap)
    case .saveUnchanged(let id):
      if let stall = try await transaction.find(Identifier<Stall>(id)) {
        try await transaction.save(stall)
      } else if let cap = try await transaction.find(Identifier<Cap>(id)) {
        try await transaction.save(cap)
      }
    default: break
    }
  }
}

extension StoreOperation.Arranging {
  fileprivate func apply(
    to transaction: WriteTransaction,
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    _ kind: CollectionKind,
    _ time: Date?
  ) async throws {
    switch self {
    case .set: try await transaction.setCollection(id, key, to: targets, as: kind, at: time)
    case .add: try await transaction.addToCollection(id, key, targets, as: kind, at: time)
    case .remove: try await transaction.removeFromCollection(id, key, targets, at: time)
    }
  }
}
