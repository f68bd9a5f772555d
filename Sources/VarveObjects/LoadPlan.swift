import VarveCore
import VarveEntities

/// The fastest way to read objects requested as some class.
///
/// The first loaded object shows which properties its class reads. Later objects are read with one
/// statement that selects just these, as structs are.
struct LoadPlan {
  let kinds: [EntityType]
  let type: any StoredObject.Type
  let shape: RowShape
  let keys: [PropertyKey]

  init(_ kind: EntityType, _ type: any StoredObject.Type, _ shape: RowShape) {
    kinds = [kind]
    self.type = type
    self.shape = shape
    keys = shape.columns.map(\.key)
  }
}

extension Objects {
  /// Records which properties a new object read from its row.
  func learn<Object: StoredObject>(
    from made: FreshObject,
    of kind: EntityType,
    askedAs type: Object.Type
  ) {
    let stored = Swift.type(of: made.object)
    plans[ObjectIdentifier(type)] = ObjectShapes.shape(of: stored, asking: made.links.asked)
      .map { LoadPlan(kind, stored, $0) }
  }

  /// Returns an object by the shortest read, or nil if the plan fits none.
  func planned<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type
  ) async throws -> FreshObject? {
    guard let plan = plans[ObjectIdentifier(type)] else { return nil }
    let values = try await store.backend.row(id, of: plan.kinds, plan.shape) { cursor in
      try plan.keys.indices.map { try cursor.value($0) }
    }
    // The first column is that of documents without properties.
    guard let values, let content = values.first, content == nil else { return nil }
    let row = PlannedRow(keys: plan.keys, values: values)
    let links = LinkCollector(self, selected: row)
    do {
      let made = try FreshObject(id, plan.kinds[0], .row(row), as: plan.type, links)
      return links.asked.isEmpty ? made : nil
    } catch  where !links.asked.isEmpty {
      // It read properties that were not selected; creating it from the whole entity updates the
      // plan.
      return nil
    }
  }
}

/// The selected properties of a row.
struct PlannedRow {
  let keys: [PropertyKey]
  let values: [Value?]

  /// - Complexity: O(keys), at most the number of properties of a class.
  subscript(key: PropertyKey) -> Value? { keys.firstIndex(of: key).flatMap { values[$0] } }
}
