import Foundation
import VarveCore
import VarveStore

/// A way to name an entity: by identifier, by the value of a property, or by what may create it.
///
/// `"identifier" | {"identifier": x} | {"key": k, "equals": v} | {"anyOf": [REF, …]}`, with
/// `createAs`, `with` and `withKeyed`.
struct Reference: Sendable {
  /// What is searched for.
  indirect enum Matcher: Sendable {
    case id(EntityID)
    case value(PropertyKey, Value)
    case any([Reference])
  }

  let matcher: Matcher?
  /// The type of what is created where nothing is found; nil where nothing shall be.
  let createAs: EntityType?
  let initial: [PropertyInput]
  let keyed: [PropertyInput]

  init(_ field: Part) throws {
    if case .string = field.json {
      matcher = .id(try field.id())
      (createAs, initial, keyed) = (nil, [], [])
      return
    }
    var fields = try Fields(field, of: "a reference")
    self = try Reference(&fields)
    try fields.finish()
  }

  /// Takes a reference's own fields; others may follow.
  init(_ fields: inout Fields) throws {
    if let custom = fields.take("custom") {
      throw Misfit(
        VarveError(.unsupported, "custom references are not there yet"),
        at: custom.path
      )
    }
    matcher = try Self.matcher(&fields)
    createAs = try fields.take("createAs").map { EntityType(try $0.string()) }
    initial = try fields.take("with").map { try PropertyInput.list($0) } ?? []
    keyed = try fields.take("withKeyed").map { try PropertyInput.keyed($0) } ?? []
    guard matcher != nil || createAs != nil else {
      throw Misfit(
        "a reference names nothing",
        at: fields.path,
        remedy: "Write identifier, key and equals, anyOf, or createAs."
      )
    }
  }

  private static func matcher(_ fields: inout Fields) throws -> Matcher? {
    if let id = fields.take("identifier") { return .id(try id.id()) }
    if let key = fields.take("key") {
      let value = try fields.need("equals").convert { try Value(json: $0) }
      return .value(PropertyKey(try key.string()), value)
    }
    guard let several = fields.take("anyOf") else { return nil }
    return .any(try several.elements().map { try Reference($0) })
  }

  /// Whether resolving it may create something.
  var mayCreate: Bool {
    if createAs != nil { return true }
    if case .any(let references)? = matcher { return references.contains(where: \.mayCreate) }
    return false
  }
}

extension Reference {
  /// The live entity it names, if there is one. A value is looked for among entities of the type
  /// that would be created, or of all types.
  func find(in state: any Reading, among type: EntityType? = nil) async throws -> Entity? {
    let type = createAs ?? type
    switch matcher {
    case nil: return nil
    case .id(let id): return try await state.entity(id)
    case .value(let key, let value):
      let types =
        if let type { [type] } else { try await state.types().map(\.type) }
      var found: Entity?
      for type in types {
        guard let entity = try await state.fetch(type, having: [key: value]).first else { continue }
        if found == nil || entity.datestamp < found?.datestamp ?? .distantFuture { found = entity }
      }
      return found
    case .any(let references):
      for reference in references {
        if let entity = try await reference.find(in: state, among: type) { return entity }
      }
      return nil
    }
  }

  /// The entity it names, created if it says so; nil where there is none.
  func resolve(in transaction: Transaction, at time: Date?) async throws -> EntityID? {
    if let entity = try await find(in: transaction) { return entity.id }
    if createAs != nil { return try await create(in: transaction, at: time) }
    guard case .any(let references)? = matcher else { return nil }
    for reference in references where reference.createAs != nil {
      return try await reference.create(in: transaction, at: time)
    }
    return nil
  }

  /// The same; an entity that is not there is an error.
  func require(in transaction: Transaction, at time: Date?) async throws -> EntityID {
    if let id = try await resolve(in: transaction, at: time) { return id }
    if case .id(let id)? = matcher { return try await transaction.require(id).id }
    throw VarveError(
      .notFound,
      "no live entity is what the reference names",
      remedy: "Add createAs to create it."
    )
  }

  /// Creates it with what was searched for and its initial values; the former wins.
  private func create(in transaction: Transaction, at time: Date?) async throws -> EntityID? {
    guard let type = createAs else { return nil }
    var start = InitialState(at: time)
    for input in initial { try await start.add(input, in: transaction) }
    start.searched(self)
    let id = start.id ?? .new()
    try await transaction.create(type, id: id, properties: start.properties, at: start.time)
    // Keyed values may refer to the entity itself.
    for input in keyed { try await input.write(to: id, in: transaction, at: time) }
    return id
  }
}

/// What an entity is created with.
private struct InitialState {
  var id: EntityID?
  var time: Date?
  var properties: [PropertyKey: Entity.Property] = [:]

  init(at time: Date?) { self.time = time }

  mutating func add(_ input: PropertyInput, in transaction: Transaction) async throws {
    let key = try await input.key(in: transaction, at: time)
    let property = try await input.content.property(in: transaction, at: time)
    switch (key, property?.value) {
    case ("identifier", .string(let text)?): id = try EntityID(text)
    case ("datestamp", .date(let date)?): time = date
    case ("identifier", _), ("datestamp", _), ("type", _): break
    default: properties[key] = property
    }
  }

  /// What was searched for wins, so that the next search finds it.
  mutating func searched(_ reference: Reference) {
    switch reference.matcher {
    case nil: break
    case .id(let wanted): id = wanted
    case .value(let key, let value): properties[key] = Entity.Property(value)
    case .any(let references): for reference in references.reversed() { searched(reference) }
    }
  }
}
