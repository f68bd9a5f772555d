import VarveCore

/// How objects asked for as some class are read fastest: as the last one of them was.
///
/// What their class asks rows for is learnt from the first that was loaded. Later ones are found by
/// one statement that selects just that, like structs.
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
  /// Notes what an object that was just made asked its row for.
  func learn<Object: StoredObject>(
    from made: FreshObject,
    of kind: EntityType,
    askedAs type: Object.Type
  ) {
    let stored = Swift.type(of: made.object)
    plans[ObjectIdentifier(type)] = ObjectShapes.shape(of: stored, asking: made.links.asked)
      .map { LoadPlan(kind, stored, $0) }
  }

  /// An object by the shortest read; nil where there is none that the plan fits.
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
      // It asked for what was not selected; made of the whole entity it teaches.
      return nil
    }
  }
}

/// What was selected of a row.
struct PlannedRow {
  let keys: [PropertyKey]
  let values: [Value?]

  /// - Complexity: O(keys), which are as many as a class has properties.
  subscript(key: PropertyKey) -> Value? { keys.firstIndex(of: key).flatMap { values[$0] } }
}
