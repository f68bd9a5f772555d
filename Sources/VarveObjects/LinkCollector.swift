import VarveCore

/// Collects the properties that an object reads from its row, and the links it receives.
final class LinkCollector {
  private(set) var strict: [any StrictLink] = []
  /// The properties that were read without having been selected.
  private(set) var asked: [PropertyKey] = []
  /// Whether a default replaced a missing property; defaults may differ each time.
  var usesDefaults = false
  /// The selected properties; empty if the row is an entity.
  private let keys: [PropertyKey]
  private let values: [Value?]
  /// The position of the property that is probably read next, after the empty key.
  private var next = 1
  /// Objects in memory, which may not be saved.
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

  /// Returns the value of a property of a state.
  func value(_ key: PropertyKey, of state: ObjectState) -> Value? {
    guard !keys.isEmpty else {
      asked.append(key)
      return state[key]
    }
    // A class reads properties in the same order each time, possibly one twice.
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

  /// A link retains only an unsaved target, because the target may lead back to the link's owner.
  func lazy<Target>(_ id: EntityID) -> Lazy<Target> {
    let isSaved = objects?.map[id] != nil
    return Lazy(LazyLink<Target>(id, held: isSaved ? nil : known[id] as? Target, objects))
  }
}
