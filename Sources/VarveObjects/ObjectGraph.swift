import VarveCore
import VarveEntities
import VarveModels

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
  ///   `unregisteredKind`, `malformedDocument` for a class with an empty kind, `invalidArgument`
  ///   for an object of another context.
  init(_ roots: [any StoredObject], in objects: Objects) throws {
    self.roots = roots
    self.objects = objects
    for root in roots {
      var path: [(node: Node, next: Int)] = []
      if let node = try enter(root) { path.append((node, 0)) }
      while let last = path.indices.last {
        guard path[last].next < path[last].node.values.links.count else {
          leave(path[last].node)
          path.removeLast()
          continue
        }
        let link = path[last].node.values.links[path[last].next]
        path[last].next += 1
        guard let target = link.target else { continue }
        if let node = try enter(target) { path.append((node, 0)) }
      }
    }
  }

  /// Returns an object with its values on its first visit. An object that is not written need not
  /// be valid.
  private mutating func enter(_ object: any StoredObject) throws -> Node? {
    let id = object.id
    if let earlier = seen[id], earlier.object === object {
      if !earlier.isDone { hasCycles = true }
      return nil
    }
    try ObjectOwners.refuseForeign(object, to: objects)
    guard seen[id] == nil else { throw Self.duplicate(id) }
    if let live = objects.map.live(id), live !== object { throw Self.duplicate(id) }
    seen[id] = (object, false)
    let kind = type(of: object).kind
    guard !kind.text.isEmpty else { throw Self.kindless(object) }
    guard objects.classes[kind] == type(of: object) else {
      throw Self.unregistered(object, registered: objects.classes[kind])
    }
    do {
      var values = ObjectValues()
      try object.write(to: &values)
      let node = node(object, values)
      if node.write != nil {
        try object.validate(Validation(model: kind.text)).requireValid()
      }
      return node
    } catch let error as VarveError where error.code == .notEncodable {
      throw error.located(at: "\(kind) \(id)\(error.place.map { ", \($0)" } ?? "")")
    }
  }

  private mutating func leave(_ node: Node) {
    seen[node.object.id] = (node.object, true)
    nodes.append(node)
  }

  private func node(_ object: any StoredObject, _ values: ObjectValues) -> Node {
    let id = object.id
    let entry = objects.map[id].flatMap { $0.object === object && !$0.isDeleted ? $0 : nil }
    let edits = entry.map { $0.edits(object, values) } ?? values.values
    let changes = edits.sorted { $0.key < $1.key }.map { key, value in
      PropertyChange(key: key, property: value.map { StoredEntity.Property($0) })
    }
    let write = ObjectWrite(
      kind: type(of: object).kind,
      id: id,
      changes: changes,
      owning: edits.filter { values.owning.contains($0.key) }
    )
    let isWritten = entry == nil || !changes.isEmpty
    return Node(object: object, values: values, edits: edits, write: isWritten ? write : nil)
  }

  /// The error for an object that could not be loaded, or only as another class, without its own
  /// properties.
  private static func unregistered(
    _ object: any StoredObject,
    registered: (any StoredObject.Type)?
  ) -> VarveError {
    let type = type(of: object)
    let what = registered.map { "\($0)" } ?? "no class"
    return VarveError(
      .unregisteredKind,
      "the class \(type) has the kind \"\(type.kind)\", for which \(what) is registered",
      at: "entity \(object.id)",
      remedy: registered == nil
        ? "Register the class with the context first."
        : "Give the class a kind of its own, or register it.",
      entity: object.id
    )
  }

  private static func kindless(_ object: any StoredObject) -> VarveError {
    VarveError(
      .malformedDocument,
      "the class \(type(of: object)) has an empty kind, and could not be loaded",
      at: "entity \(object.id)",
      remedy: "Give the class a kind.",
      entity: object.id
    )
  }

  private static func duplicate(_ id: EntityID) -> VarveError {
    VarveError(
      .duplicateIdentifier,
      "another live object has the identifier \"\(id)\"",
      at: "entity \(id)",
      remedy: "Load the object and change it, or use another identifier.",
      entity: id
    )
  }
}
