import VarveCore

/// The state of one object in a context.
final class ObjectEntry {
  weak var object: (any StoredObject)?
  /// The state that the store is known to have.
  var state: ObjectState {
    didSet { written = nil }
  }
  /// The values that an unedited object with this state writes; nil until computed.
  private var written: [PropertyKey: Value?]?
  /// The number of times the context learned what the store has. A read that began at an earlier
  /// revision is older than what is known.
  private(set) var revision = 0
  /// Whether the entity is erased or dead.
  private(set) var isDeleted = false

  init(_ object: any StoredObject, _ state: ObjectState) {
    self.object = object
    self.state = state
  }

  /// Returns the values that were edited since the object was read or saved.
  ///
  /// The values are compared with those that an unedited object writes, not with the stored ones: a
  /// missing property may have a default, and an integer may be read as a double.
  func edits(_ object: any StoredObject, _ values: ObjectValues) -> [PropertyKey: Value?] {
    let written = self.written ?? untouched(object)
    self.written = written
    return values.values.filter { (written[$0] ?? nil) != $1 }
  }

  /// Records the values that a newly read object writes, because its default values may differ from
  /// those of an instance created for comparison.
  ///
  /// - Parameter edits: the edits that the object has and the store does not.
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

  /// Records that the object was saved with these values.
  func save(_ edits: [PropertyKey: Value?], _ values: ObjectValues) {
    state = state.changing(edits)
    written = values.values
    learn(isDeleted: false)
  }

  /// Records that the context learned what the store has.
  func learn(isDeleted: Bool) {
    self.isDeleted = isDeleted
    revision += 1
  }
}

/// The live objects by identifier. It does not retain them.
struct IdentityMap {
  private var entries: [EntityID: ObjectEntry] = [:]
  /// The number of entries at which those of deallocated objects are removed.
  private var limit = 64

  subscript(id: EntityID) -> ObjectEntry? { entries[id] }

  /// The number of entries, including those of deallocated objects.
  var count: Int { entries.count }

  /// Returns the object with an identifier, if it is alive and not deleted.
  func live(_ id: EntityID) -> (any StoredObject)? {
    guard let entry = entries[id], !entry.isDeleted else { return nil }
    return entry.object
  }

  /// - Returns: the previous entry.
  /// - Complexity: O(1) amortized, because each removed entry was inserted before.
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
      // The map will be as large again, and growing costs more than clearing.
      entries.removeAll(keepingCapacity: true)
      entries.merge(alive) { first, _ in first }
    }
    return earlier
  }

  mutating func remove(_ id: EntityID) { entries[id] = nil }
}
