import VarveCore

/// The stored state of an object, as far as known.
enum ObjectState {
  /// The entity that was read.
  case entity(StoredEntity)
  /// The properties that were read, as many as its class needs.
  case row(PlannedRow)
  /// The state that was read, with values that were saved since or are not saved yet.
  indirect case changed(ObjectState, [PropertyKey: Value?])
  /// Nothing is stored.
  case nothing

  subscript(key: PropertyKey) -> Value? {
    switch self {
    case .entity(let entity): entity[key]
    case .row(let row): row[key]
    case .changed(let state, let values): values[key] ?? state[key]
    case .nothing: nil
    }
  }

  /// Returns the state with other values.
  func changing(_ values: [PropertyKey: Value?]) -> ObjectState {
    guard !values.isEmpty else { return self }
    guard case .changed(let state, let earlier) = self else { return .changed(self, values) }
    return .changed(state, earlier.merging(values) { $1 })
  }
}
