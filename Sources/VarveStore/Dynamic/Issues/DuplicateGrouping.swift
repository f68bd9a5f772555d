import VarveCore

/// Finds equals among entities that come in the order of some fields: they stand side by side.
struct DuplicateGrouping {
  private let type: EntityType
  private let keys: [PropertyKey]
  private let fields: [Field]
  private var sortKeys: [[UInt8]] = []
  private var values: [Value?] = []
  private var entities: [EntityID] = []

  init(_ type: EntityType, _ keys: [PropertyKey], _ fields: [Field]) {
    self.type = type
    self.keys = keys
    self.fields = fields
  }

  /// The query whose entities are to be added: those that have one of the values at least.
  func query(including types: [EntityType]) -> Query {
    let present = Condition.or(fields.map { .not(.isMissing($0)) })
    return fields.reduce(Query(type).including(types).where(present)) { $0.order(by: $1) }
  }

  /// Adds the next entity; returns the equals before it, if they end with it.
  mutating func add(_ entity: StoredEntity) -> StoreIssue.Duplicate? {
    let values = fields.map { entity.value(of: $0) }
    let compared = fields.map { entity.comparand(of: $0) }
    // What compares with nothing is the double of nothing.
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

  /// The equals that were added last, if there are several.
  mutating func finish() -> StoreIssue.Duplicate? {
    defer { entities = [] }
    guard entities.count > 1 else { return nil }
    return StoreIssue.Duplicate(type: type, keys: keys, values: values, entities: entities)
  }
}
