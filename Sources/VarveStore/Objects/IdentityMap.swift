import VarveCore

/// What a context knows of one object.
final class ObjectEntry {
  weak var object: (any StoredObject)?
  /// What the store is known to have.
  var state: ObjectState {
    didSet { written = nil }
  }
  /// What an object writes that holds just that, once somebody has asked.
  private var written: [PropertyKey: Value?]?
  /// How often the state was replaced.
  var revision = 0
  /// Whether the entity is erased, or dead.
  var isDeleted = false

  init(_ object: any StoredObject, _ state: ObjectState) {
    self.object = object
    self.state = state
  }

  /// What of an object's values was edited since it was read or saved.
  ///
  /// It is compared with what an untouched object writes, for that need not be what is stored: a
  /// property that is missing may have a default, and an integer be read as a number.
  func edits(_ object: any StoredObject, _ values: ObjectValues) -> [PropertyKey: Value?] {
    let written = self.written ?? untouched(object)
    self.written = written
    return values.values.filter { (written[$0] ?? nil) != $1 }
  }

  /// Keeps what an object writes that was just read: defaults of properties that are missing may be
  /// others in an instance made to compare with.
  ///
  /// - Parameter edits: what it has of an edit, and the store has not.
  func noteDefaults(of object: any StoredObject, but edits: [PropertyKey: Value?] = [:]) {
    var values = ObjectValues()
    guard (try? object.write(to: &values)) != nil else { return }
    var written = values.values
    if !edits.isEmpty {
      let others = untouched(object)
      for key in edits.keys { written[key] = others[key] }
    }
    self.written = written
  }

  private func untouched(_ object: any StoredObject) -> [PropertyKey: Value?] {
    let type = type(of: object)
    let links = LinkCollector(nil)
    let row = ObjectRow(id: object.id, kind: type.kind, state: state, links: links)
    var values = ObjectValues()
    try? type.init(row: row).write(to: &values)
    return values.values
  }

  /// The object was saved with these values.
  func save(_ edits: [PropertyKey: Value?], _ values: ObjectValues) {
    state = state.changing(edits)
    written = values.values
    isDeleted = false
    revision += 1
  }
}

/// The objects that are alive, by their identifiers. It keeps none of them.
struct IdentityMap {
  private var entries: [EntityID: ObjectEntry] = [:]
  /// How many entries there may be before those of objects that are gone are dropped.
  private var limit = 64

  subscript(id: EntityID) -> ObjectEntry? { entries[id] }

  /// How many entries there are, those of objects that are gone included.
  var count: Int { entries.count }

  /// The object of an identifier, if it is alive and not deleted.
  func live(_ id: EntityID) -> (any StoredObject)? {
    guard let entry = entries[id], !entry.isDeleted else { return nil }
    return entry.object
  }

  /// - Returns: the entry there was before.
  /// - Complexity: O(1) amortized: what is dropped was put in before.
  @discardableResult
  mutating func insert(_ entry: ObjectEntry, for id: EntityID) -> ObjectEntry? {
    let earlier = entries.updateValue(entry, forKey: id)
    guard entries.count > limit else { return earlier }
    let alive = entries.filter { $1.object != nil }
    let isMuchSmaller = alive.count * 8 < limit
    limit = max(64, alive.count * 2)
    if isMuchSmaller, entries.count > 1_024 {
      entries = alive
    } else {
      // It will be as large again: growing costs more than clearing.
      entries.removeAll(keepingCapacity: true)
      entries.merge(alive) { first, _ in first }
    }
    return earlier
  }

  mutating func remove(_ id: EntityID) { entries[id] = nil }
}
