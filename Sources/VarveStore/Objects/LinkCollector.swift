import VarveCore

/// What an object that is being made of a row asks it for, and the links it gets.
final class LinkCollector {
  private(set) var strict: [any StrictLink] = []
  /// The properties it asked for, but for those that were selected for it.
  private(set) var asked: [PropertyKey] = []
  /// Whether a property that is missing got a default, which may be another each time.
  var usesDefaults = false
  /// What was selected for it; empty where its row is of another kind.
  private let keys: [PropertyKey]
  private let values: [Value?]
  /// Where the property it will probably ask for next was selected, after the empty key.
  private var next = 1
  /// Objects that are at hand, though perhaps not saved.
  private let known: [EntityID: any StoredObject]
  private let objects: Objects?

  init(
    _ objects: Objects?,
    known: [EntityID: any StoredObject] = [:],
    selected row: PlannedRow? = nil
  ) {
    self.objects = objects
    self.known = known
    keys = row?.keys ?? []
    values = row?.values ?? []
  }

  /// The value of a property of a state.
  func value(_ key: PropertyKey, of state: ObjectState) -> Value? {
    guard !keys.isEmpty else {
      asked.append(key)
      return state[key]
    }
    // A class asks in the same order each time, perhaps twice for one.
    if next < keys.count, keys[next] == key {
      next += 1
      return values[next - 1]
    }
    if keys[next - 1] == key { return values[next - 1] }
    guard let position = keys.firstIndex(of: key) else {
      asked.append(key)
      return nil
    }
    next = position + 1
    return values[position]
  }

  func child<Target>(_ id: EntityID) -> Child<Target> {
    if let target = known[id] as? Target { return Child(target) }
    let link = ChildLink<Target>(id)
    strict.append(link)
    return Child(link)
  }

  /// A link keeps only what is not saved yet: it may lead back to who has it.
  func lazy<Target>(_ id: EntityID) -> Lazy<Target> {
    let isSaved = objects?.map[id] != nil
    return Lazy(LazyLink<Target>(id, held: isSaved ? nil : known[id] as? Target, objects))
  }
}
