import VarveCore
import VarveEntities

/// An object created from stored values.
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

/// Objects that are created together before they are published, including the targets of their
/// links unless these are alive already.
final class ObjectAssembly {
  private let objects: Objects?
  private var fresh: [EntityID: FreshObject] = [:]
  private var order: [EntityID] = []
  /// Live targets, retained until the assembly is complete.
  private var held: [EntityID: any StoredObject] = [:]
  private var links: [any StrictLink] = []
  private var checkedCount = 0

  init(_ objects: Objects?) { self.objects = objects }

  /// Creates an object.
  func add(
    _ id: EntityID,
    _ kind: EntityType,
    _ state: ObjectState,
    as type: any StoredObject.Type
  ) throws {
    add(try FreshObject(id, kind, state, as: type, in: objects), id)
  }

  /// Adds a created object.
  func add(_ made: FreshObject, _ id: EntityID) {
    fresh[id] = made
    order.append(id)
    links += made.links.strict
  }

  /// Adds the links of an existing object; their targets are created with the others.
  func follow(_ links: [any StrictLink]) { self.links += links }

  /// Returns the next link whose target is neither alive nor created.
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

  /// Creates the targets of all links.
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

  /// Makes the objects the live instances of the context, except those that were published by
  /// others meanwhile.
  ///
  /// - Parameter mark: when the values were read.
  func publish(in objects: Objects, since mark: Int) {
    let kept = order.filter { objects.map.live($0) == nil }
    for id in kept {
      if let fresh = fresh[id] { objects.publish(fresh, id, since: mark) }
    }
    resolve(kept, in: objects)
  }

  /// Connects the objects with each other and with live ones.
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

  /// Returns an object created by this assembly.
  func made(_ id: EntityID) -> (any StoredObject)? { fresh[id]?.object }

  /// Returns the live object, or one created by this assembly.
  func object(_ id: EntityID) -> (any StoredObject)? {
    objects?.map.live(id) ?? fresh[id]?.object ?? held[id]
  }
}
