package import VarveCore

/// Finds equal entities among entities that are sorted by some fields, in which equal ones are
/// adjacent.
package struct DuplicateGrouping {
  private let type: EntityType
  private let keys: [PropertyKey]
  private let fields: [Field]
  private var sortKeys: [[UInt8]] = []
  private var values: [Value?] = []
  private var entities: [EntityID] = []

  package init(_ type: EntityType, _ keys: [PropertyKey], _ fields: [Field]) {
    self.type = type
    self.keys = keys
    self.fields = fields
  }

  /// Returns the query for the entities to add: those with at least one of the values.
  func query(including types: [EntityType]) -> Query {
    let present = Condition.or(fields.map { .not(.isMissing($0)) })
    return fields.reduce(Query(type).including(types).where(present)) { $0.order(by: $1) }
  }

  /// Adds the next entity. Returns the group of equal entities before it, if the group is complete.
  mutating func add(_ entity: StoredEntity) -> StoreIssue.Duplicate? {
    let values = fields.map { entity.value(of: $0) }
    let compared = fields.map { entity.comparand(of: $0) }
    // A value that is not comparable has no duplicates.
    let areComparable = zip(fields, compared).allSatisfy { field, value in
      value.map { !$0.isNotComparable } ?? (entity.value(of: field.stored) == nil)
    }
    guard areComparable else { return nil }
    let sortKeys = compared.map { $0?.sortKey ?? [] }
    if sortKeys == self.sortKeys {
      entities.append(entity.id)
      return nil
    }
    let ended = finish()
    self.sortKeys = sortKeys
    self.values = values
    entities = [entity.id]
    return ended
  }

  /// Returns the last group, if it has several entities.
  mutating func finish() -> StoreIssue.Duplicate? {
    defer { entities = [] }
    guard entities.count > 1 else { return nil }
    return StoreIssue.Duplicate(type: type, keys: keys, values: values, entities: entities)
  }
}
