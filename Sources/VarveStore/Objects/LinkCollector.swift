import VarveCore

/// What an object that is being made of a row asks it for, and the links it gets.
final class LinkCollector {
  private(set) var strict: [any StrictLink] = []
  /// The properties it asked for, but for those that were selected for it.
  private(set) var asked: [PropertyKey] = []
  /// Where the property it will probably ask for next was selected, after the empty key.
  private var next = 1
  /// Objects that are at hand, though perhaps not saved.
  private let known: [EntityID: any StoredObject]
  private let objects: Objects?

  init(_ objects: Objects?, known: [EntityID: any StoredObject] = [:]) {
    self.objects = objects
    self.known = known
  }

  /// The value of a property of a state.
  func value(_ key: PropertyKey, of state: ObjectState) -> Value? {
    guard case .row(let row) = state else {
      asked.append(key)
      return state[key]
    }
    guard let position = position(of: key, in: row.shape) else {
      asked.append(key)
      return nil
    }
    return row.values[position]
  }

  /// A class asks in the same order each time, perhaps twice for one.
  private func position(of key: PropertyKey, in shape: RowShape) -> Int? {
    if next < shape.columns.count, shape.columns[next].key == key {
      next += 1
      return next - 1
    }
    if shape.columns[next - 1].key == key { return next - 1 }
    guard let position = shape.position(of: key.text) else { return nil }
    next = position + 1
    return position
  }

  func child<Target>(_ id: EntityID) -> Child<Target> {
    if let target = known[id] as? Target { return Child(target) }
    let link = ChildLink<Target>(id)
    strict.append(link)
    return Child(link)
  }

  func lazy<Target>(_ id: EntityID) -> Lazy<Target> {
    Lazy(LazyLink<Target>(id, held: known[id] as? Target, objects))
  }
}
