import VarveCore

/// How objects asked for as some class are read fastest: as the last one of them was.
///
/// What their class asks rows for is learnt from the first that was loaded. Later ones are found by
/// one statement that selects just that, like structs.
struct LoadPlan {
  let kind: EntityType
  let type: any StoredObject.Type
  let shape: RowShape
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
      .map { LoadPlan(kind: kind, type: stored, shape: $0) }
  }

  /// An object by the shortest read; nil where there is none that the plan fits.
  func planned<Object: StoredObject>(
    _ id: EntityID,
    as type: Object.Type
  ) async throws -> FreshObject? {
    guard let plan = plans[ObjectIdentifier(type)] else { return nil }
    let values = try await store.backend.row(id, of: [plan.kind], plan.shape) { cursor in
      try plan.shape.columns.indices.map { try cursor.value($0) }
    }
    // The first column is that of documents without properties.
    guard let values, let content = values.first, content == nil else { return nil }
    let links = LinkCollector(self)
    let state = ObjectState.row(PlannedRow(shape: plan.shape, values: values))
    do {
      let made = try FreshObject(id, plan.kind, state, as: plan.type, links)
      return links.asked.isEmpty ? made : nil
    } catch  where !links.asked.isEmpty {
      // It asked for what was not selected; made of the whole entity it teaches.
      return nil
    }
  }
}

/// What was selected of a row.
struct PlannedRow {
  let shape: RowShape
  let values: [Value?]

  subscript(key: PropertyKey) -> Value? { shape.position(of: key.text).flatMap { values[$0] } }
}
