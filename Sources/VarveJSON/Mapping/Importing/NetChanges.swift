import VarveCore
import VarveStore

/// What a document changes of the entities there were: where it says several things of one, the last
/// counts, and what comes to nothing is not written.
///
/// Bounded: past a number of changed entities all is written, for there is a commit to be made
/// anyway.
final class NetChanges {
  /// What becomes of one entity.
  final class Change {
    let id: EntityID
    let type: EntityType
    /// As it was; nil where it was not live at the time the import is for.
    let entity: StoredEntity?
    var values: [PropertyKey: Value?] = [:]
    var relations: [PropertyKey: RelationChange] = [:]
    /// Where the document speaks of it last, and by which mapping.
    var said: (path: DocumentPath, mapping: CompiledMapping)?

    init(_ id: EntityID, _ type: EntityType, _ entity: StoredEntity?) {
      self.id = id
      self.type = type
      self.entity = entity
    }

    var isEmpty: Bool { values.isEmpty && relations.isEmpty }

    /// The value the entity will have.
    func value(_ key: PropertyKey) -> Value? {
      if let value = values[key] { return value }
      return entity?[key]
    }

    /// Has the entity have a value, or none.
    func set(_ value: Value?, at key: PropertyKey) {
      if entity?[key] == value {
        values[key] = nil
      } else {
        values[key] = .some(value)
      }
    }
  }

  private var changes: [EntityID: Change] = [:]
  private var order: [EntityID] = []

  /// How many entities change before what is known is written.
  static let capacity = 1 << 14

  var isEmpty: Bool { changes.isEmpty }
  var isFull: Bool { changes.count >= Self.capacity }

  /// What becomes of an entity, if that is anything so far.
  subscript(id: EntityID) -> Change? { changes.isEmpty ? nil : changes[id] }

  /// What becomes of an entity, to be changed.
  func change(_ id: EntityID, _ type: EntityType, _ entity: StoredEntity?) -> Change {
    if let known = changes[id] { return known }
    let change = Change(id, type, entity)
    changes[id] = change
    order.append(id)
    return change
  }

  /// Hands over every change there is, those that are made meanwhile too.
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
