import VarveCore

/// Objects to be saved and all they lead to, each once, after those it leads to.
struct ObjectGraph {
  struct Node {
    let object: any StoredObject
    let values: ObjectValues
    /// What differs from what is stored; everything of an object that is new.
    let edits: [PropertyKey: Value?]
    /// What is to be written; nil where nothing is.
    let write: ObjectWrite?
  }

  let roots: [any StoredObject]
  private(set) var nodes: [Node] = []
  /// Whether an object may be reached from itself.
  private(set) var hasCycles = false
  private let objects: Objects
  /// Whether what an object leads to was gone through.
  private var seen: [EntityID: (object: any StoredObject, isDone: Bool)] = [:]

  /// Goes through the objects.
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

  /// The values of an object that is met for the first time.
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
      PropertyChange(key: key, property: value.map { Entity.Property($0) })
    }
    let write = ObjectWrite(kind: type(of: object).kind, id: id, changes: changes)
    let isWritten = entry == nil || !changes.isEmpty
    nodes.append(
      Node(object: object, values: values, edits: edits, write: isWritten ? write : nil)
    )
  }

  /// Loaded again it would be one of another class, without what is its own.
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
