import VarveCore

/// Objects to save and everything they link to, each once, targets first.
struct ObjectGraph {
  struct Node {
    let object: any StoredObject
    let values: ObjectValues
    /// The values that differ from the stored ones; all values of a new object.
    let edits: [PropertyKey: Value?]
    /// The write; nil if nothing differs.
    let write: ObjectWrite?
  }

  let roots: [any StoredObject]
  private(set) var nodes: [Node] = []
  /// Whether an object may be reachable from itself.
  private(set) var hasCycles = false
  private let objects: Objects
  /// The visited objects, and whether the visit is complete.
  private var seen: [EntityID: (object: any StoredObject, isDone: Bool)] = [:]

  /// Visits the objects.
  ///
  /// - Throws: ``VarveError``: `notEncodable`, `validationFailed`, `duplicateIdentifier`,
  ///   `unregisteredKind`.
  init(_ roots: [any StoredObject], in objects: Objects) throws {
    self.roots = roots
    self.objects = objects
    for root in roots {
      var path: [(object: any StoredObject, values: ObjectValues, next: Int)] = []
      if let values = try enter(root) { path.append((root, values, 0)) }
      while let last = path.indices.last {
        guard path[last].next < path[last].values.links.count else {
          leave(path[last].object, path[last].values)
          path.removeLast()
          continue
        }
        let link = path[last].values.links[path[last].next]
        path[last].next += 1
        guard let target = link.target else { continue }
        if let values = try enter(target) { path.append((target, values, 0)) }
      }
    }
  }

  /// Returns the values of an object on its first visit.
  private mutating func enter(_ object: any StoredObject) throws -> ObjectValues? {
    let id = object.id
    if let earlier = seen[id] {
      guard earlier.object === object else { throw Self.duplicate(id) }
      if !earlier.isDone { hasCycles = true }
      return nil
    }
    if let live = objects.map.live(id), live !== object { throw Self.duplicate(id) }
    seen[id] = (object, false)
    let kind = type(of: object).kind
    if let other = objects.classes[kind], other != type(of: object) {
      throw Self.otherClass(object, registered: other)
    }
    do {
      var values = ObjectValues()
      try object.write(to: &values)
      try object.validate(Validation(model: kind.text)).requireValid()
      return values
    } catch let error as VarveError where error.code == .notEncodable {
      throw error.told(at: "\(kind) \(id)\(error.place.map { ", \($0)" } ?? "")")
    }
  }

  private mutating func leave(_ object: any StoredObject, _ values: ObjectValues) {
    let id = object.id
    seen[id] = (object, true)
    let entry = objects.map[id].flatMap { $0.object === object && !$0.isDeleted ? $0 : nil }
    let edits = entry.map { $0.edits(object, values) } ?? values.values
    let changes = edits.sorted { $0.key < $1.key }.map { key, value in
      PropertyChange(key: key, property: value.map { StoredEntity.Property($0) })
    }
    let write = ObjectWrite(kind: type(of: object).kind, id: id, changes: changes)
    let isWritten = entry == nil || !changes.isEmpty
    nodes.append(
      Node(object: object, values: values, edits: edits, write: isWritten ? write : nil)
    )
  }

  /// The error for an object that would be loaded as another class, without its own properties.
  private static func otherClass(
    _ object: any StoredObject,
    registered: any StoredObject.Type
  ) -> VarveError {
    let type = type(of: object)
    return VarveError(
      .unregisteredKind,
      "the class \(type) has the kind \"\(type.kind)\", for which \(registered) is registered",
      at: "entity \(object.id)",
      remedy: "Give the class a kind of its own, or register it."
    )
  }

  private static func duplicate(_ id: EntityID) -> VarveError {
    VarveError(
      .duplicateIdentifier,
      "another live object has the identifier \"\(id)\"",
      at: "entity \(id)",
      remedy: "Load the object and change it, or use another identifier."
    )
  }
}
