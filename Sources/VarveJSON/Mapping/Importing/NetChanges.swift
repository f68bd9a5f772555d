import VarveCore
import VarveStore

/// The changes of existing entities by a document. If it changes one entity several times, the last
/// value counts, and changes without an effect are not written.
///
/// The number of entities is limited. Beyond it all changes are written, because there will be a
/// commit in any case.
final class NetChanges {
  /// The change of one entity.
  final class Change {
    let id: EntityID
    let type: EntityType
    /// The entity before the import; nil if it was not live at the import's time.
    let entity: StoredEntity?
    /// If the entity was not live then, and values were written for times before its creation: the
    /// entity with these values, once the import has made it live.
    var valuesBefore: StoredEntity?
    var values: [PropertyKey: Value?] = [:]
    var relations: [PropertyKey: RelationChange] = [:]
    /// The last place of the entity in the document, and its mapping there.
    var said: (path: DocumentPath, mapping: CompiledMapping)?

    init(_ id: EntityID, _ type: EntityType, _ entity: StoredEntity?) {
      self.id = id
      self.type = type
      self.entity = entity
    }

    var isEmpty: Bool { values.isEmpty && relations.isEmpty }

    /// Returns the value that the entity will have.
    func value(_ key: PropertyKey) -> Value? {
      if let value = values[key] { return value }
      return (entity ?? valuesBefore)?[key]
    }

    /// Sets the value that the entity will have; nil removes it.
    func set(_ value: Value?, at key: PropertyKey) {
      if (entity ?? valuesBefore)?[key] == value {
        values[key] = nil
      } else {
        values[key] = .some(value)
      }
    }
  }

  private var changes: [EntityID: Change] = [:]
  private var order: [EntityID] = []

  /// The number of changed entities at which pending changes are written.
  static let capacity = 1 << 14

  var isEmpty: Bool { changes.isEmpty }
  var isFull: Bool { changes.count >= Self.capacity }

  /// Returns the change of an entity, if there is one.
  subscript(id: EntityID) -> Change? { changes.isEmpty ? nil : changes[id] }

  /// Returns the change of an entity for editing.
  func change(_ id: EntityID, _ type: EntityType, _ entity: StoredEntity?) -> Change {
    if let known = changes[id] { return known }
    let change = Change(id, type, entity)
    changes[id] = change
    order.append(id)
    return change
  }

  /// Passes on every change, including those made meanwhile.
  func visit(_ body: (Change) async throws -> Void) async rethrows {
    var index = 0
    while index < order.count {
      if let change = changes[order[index]], !change.isEmpty { try await body(change) }
      index += 1
    }
  }

  func removeAll() {
    changes.removeAll()
    order.removeAll()
  }
}
