import VarveCore

/// What the store is known to have of an object.
enum ObjectState {
  /// What was read.
  case entity(Entity)
  /// What was read of it, as much as its class asks for.
  case row(PlannedRow)
  /// What was read, with what was saved since or what is not saved yet.
  indirect case changed(ObjectState, [PropertyKey: Value?])
  /// Nothing.
  case nothing

  subscript(key: PropertyKey) -> Value? {
    switch self {
    case .entity(let entity): entity[key]
    case .row(let row): row[key]
    case .changed(let state, let values): values[key] ?? state[key]
    case .nothing: nil
    }
  }

  /// The same with other values.
  func changing(_ values: [PropertyKey: Value?]) -> ObjectState {
    guard !values.isEmpty else { return self }
    guard case .changed(let state, let earlier) = self else { return .changed(self, values) }
    return .changed(state, earlier.merging(values) { $1 })
  }
}
