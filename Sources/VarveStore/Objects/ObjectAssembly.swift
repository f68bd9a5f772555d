import VarveCore

/// An object made of what is stored.
struct FreshObject {
  let object: any StoredObject
  let state: ObjectState
  let links: LinkCollector

  init(
    _ id: EntityID,
    _ kind: EntityType,
    _ state: ObjectState,
    as type: any StoredObject.Type,
    in objects: Objects?
  ) throws {
    try self.init(id, kind, state, as: type, LinkCollector(objects))
  }

  init(
    _ id: EntityID,
    _ kind: EntityType,
    _ state: ObjectState,
    as type: any StoredObject.Type,
    _ links: LinkCollector
  ) throws {
    self.state = state
    self.links = links
    object = try type.init(row: ObjectRow(id: id, kind: kind, state: state, links: links))
    precondition(object.id == id, "\(type).init(row:) does not take the row's identifier")
  }
}

/// Objects that are being made together, until they are published. Those they lead to are made with
/// them, or are alive already.
final class ObjectAssembly {
  private let objects: Objects?
  private var fresh: [EntityID: FreshObject] = [:]
  private var order: [EntityID] = []
  /// Those that are alive and led to: they must not go away meanwhile.
  private var held: [EntityID: any StoredObject] = [:]
  private var links: [any StrictLink] = []
  private var checkedCount = 0

  init(_ objects: Objects?) { self.objects = objects }

  /// Makes an object.
  func add(
    _ id: EntityID,
    _ kind: EntityType,
    _ state: ObjectState,
    as type: any StoredObject.Type
  ) throws {
    add(try FreshObject(id, kind, state, as: type, in: objects), id)
  }

  /// Adds an object that was made.
  func add(_ made: FreshObject, _ id: EntityID) {
    fresh[id] = made
    order.append(id)
    links += made.links.strict
  }

  /// Adds links of an object that is there already: those they lead to are made with the others.
  func follow(_ links: [any StrictLink]) { self.links += links }

  /// The next link to an object that is neither alive nor made.
  ///
  /// - Throws: ``VarveError`` with code `kindMismatch`.
  func nextMissing() throws -> (any StrictLink)? {
    while checkedCount < links.count {
      let link = links[checkedCount]
      checkedCount += 1
      if held[link.id] == nil { held[link.id] = objects?.map.live(link.id) }
      guard let known = held[link.id] ?? fresh[link.id]?.object else { return link }
      guard link.accepts(Swift.type(of: known)) else {
        let actual = Swift.type(of: known).kind
        throw VarveError.kindMismatch(of: link.id, expected: link.expected, actual: actual)
      }
    }
    return nil
  }

  /// Makes all that is led to.
  func complete(from state: StateReader, in objects: Objects) async throws {
    while let link = try nextMissing() {
      let entity = try await state.document(link.id)
      let type = try objects.type(of: entity.type, entity.id, askedAs: link.expected)
      guard link.accepts(type) else {
        throw VarveError.kindMismatch(of: link.id, expected: link.expected, actual: entity.type)
      }
      try add(entity.id, entity.type, .entity(entity), as: type)
    }
  }

  /// Makes the objects the live instances of the context, but for those that others made meanwhile.
  ///
  /// - Parameter mark: when what they were made of was read.
  func publish(in objects: Objects, since mark: Int) {
    let kept = order.filter { objects.map.live($0) == nil }
    for id in kept {
      if let fresh = fresh[id] { objects.publish(fresh, id, since: mark) }
    }
    resolve(kept, in: objects)
  }

  /// Connects the objects with each other and with those that are alive.
  func resolve(_ ids: [EntityID]? = nil, in objects: Objects?) {
    guard !links.isEmpty else { return }
    let ids = ids ?? order
    for id in ids {
      for link in fresh[id]?.links.strict ?? [] {
        let targets = [objects?.map.live(link.id), held[link.id], fresh[link.id]?.object]
        let target = targets.lazy.compactMap(\.self).first { link.accepts(Swift.type(of: $0)) }
        if let target { link.resolve(target, in: objects) }
      }
    }
    let made = Dictionary(
      ids.compactMap { id in fresh[id].map { (ObjectIdentifier($0.object), $0) } },
      uniquingKeysWith: { first, _ in first }
    )
    let closing = LinkCycles.closing(ids.compactMap { fresh[$0]?.object }) { object in
      made[ObjectIdentifier(object)]?.links.strict ?? []
    }
    guard !closing.isEmpty else { return }
    let reached = objects.map { [$0.record(of: made.values.map(\.object))] } ?? []
    let record = ObjectRecord(made.values.map { ($0.object, $0.state) }, and: reached)
    for link in closing { link.loosen(record, in: objects) }
  }

  /// An object it made.
  func made(_ id: EntityID) -> (any StoredObject)? { fresh[id]?.object }

  /// The live object, or one it made.
  func object(_ id: EntityID) -> (any StoredObject)? {
    objects?.map.live(id) ?? fresh[id]?.object ?? held[id]
  }
}
