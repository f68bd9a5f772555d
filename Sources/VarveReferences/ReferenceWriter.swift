import Foundation
import VarveCore
import VarveEntities

/// Resolves references inside a write, and creates the entities they describe.
final class ReferenceWriter {
  let writer: CommitWriter
  let finder: ReferenceFinder
  /// The time from which the values hold; nil for the time of the transaction.
  private let time: HybridTime?

  init(_ writer: CommitWriter, at time: HybridTime?) {
    self.writer = writer
    finder = ReferenceFinder(writer.commit)
    self.time = time ?? writer.defaultTime
  }

  /// Returns the entity that a reference finds or creates; nil if there is none.
  func resolve(_ reference: EntityReference) async throws -> FoundEntity? {
    if let found = try await finder.find(reference) { return found }
    return try await create(reference, expecting: nil)
  }

  /// Returns the entity that a reference finds or creates; throws if there is none.
  func require(_ reference: EntityReference) async throws -> FoundEntity {
    if let found = try await resolve(reference) { return found }
    if let id = reference.id { throw try await writer.commit.absence(of: id) }
    throw VarveError(
      .notFound,
      "no live entity matches the reference",
      remedy: "Let the reference create it."
    )
  }

  /// Creates the missing entity as described by the reference, or by the first of several that has
  /// a description.
  private func create(
    _ reference: EntityReference,
    expecting outer: EntityType?
  ) async throws -> FoundEntity? {
    let expected = reference.expectedType ?? outer
    guard let creation = reference.creation else {
      guard case .anyOf(let references) = reference.matcher else { return nil }
      for reference in references {
        if let found = try await create(reference, expecting: expected) { return found }
      }
      return nil
    }
    if let expected, creation.type != expected {
      throw VarveError(
        .typeMismatch,
        "a reference that expects a \"\(expected)\" would create a \"\(creation.type)\"",
        at: reference.id.map { "entity \($0)" },
        remedy: "Let it create an entity of the expected type."
      )
    }
    var start = InitialState(creation.type, at: time)
    for property in try await prototype(creation) { try start.add(property) }
    var deferred: NewProperties = [:]
    for (name, value) in creation.initial.inOrder {
      if let change = try await atOnce(name, value) {
        try start.add(change)
      } else {
        try start.refuseOwn(name)
        deferred[name] = value
      }
    }
    try start.searched(reference)
    let found = FoundEntity(id: start.id ?? .new(), type: creation.type)
    let changes = start.changes
    try await writer.create(creation.type, id: found.id, changes, at: start.time)
    finder.note(found, changes, at: start.time ?? writer.commit.time)
    // Values that create other entities, or are named after them, may refer to this entity.
    let rest = try await self.changes(deferred)
    if !rest.isEmpty { try await writer.set(found.id, rest, at: time) }
    return found
  }

  private func prototype(_ creation: EntityReference.Creation) async throws -> [PropertyChange] {
    guard let name = creation.prototype else { return [] }
    return try await writer.commit.prototype(name, for: creation.type).changes
  }

  /// Returns the change if it requires no creation, otherwise nil.
  private func atOnce(_ name: PropertyName, _ value: NewValue) async throws -> PropertyChange? {
    guard name.reference == nil else { return nil }
    switch value {
    case .to(let reference, _) where !reference.isPending && reference.mayCreate: return nil
    default: return try await change(name, value)
    }
  }

  // MARK: Properties

  /// Returns the changes of properties, with references found or created.
  func changes(_ properties: NewProperties) async throws -> [PropertyChange] {
    var changes: [PropertyChange] = []
    changes.reserveCapacity(properties.count)
    for (name, value) in properties.inOrder { changes.append(try await change(name, value)) }
    return changes
  }

  private func change(_ name: PropertyName, _ value: NewValue) async throws -> PropertyChange {
    let key =
      if let reference = name.reference {
        try name.key(for: try await resolve(reference)?.id)
      } else { name.key }
    return PropertyChange(key: key, property: try await property(value))
  }

  private func property(_ value: NewValue) async throws -> StoredEntity.Property? {
    switch value {
    case .removal: return nil
    case .value(let value, let semanticType):
      return StoredEntity.Property(value, semanticType: semanticType)
    case .to(let reference, let semanticType):
      // The entity of a bare identifier may arrive later.
      if reference.isPending, let id = reference.id {
        return StoredEntity.Property(.reference(id), semanticType: semanticType)
      }
      let found = try await require(reference)
      return StoredEntity.Property(.reference(found.id), semanticType: semanticType)
    }
  }
}

extension EntityReference {
  /// Whether it is only an identifier, whose entity need not exist.
  fileprivate var isPending: Bool { id != nil && creation == nil && expectedType == nil }
}

/// The identifier, time and properties with which an entity is created.
private struct InitialState {
  var id: EntityID?
  var time: HybridTime?
  private var properties: [PropertyKey: StoredEntity.Property] = [:]

  private let type: EntityType

  init(_ type: EntityType, at time: HybridTime?) {
    self.type = type
    self.time = time
  }

  /// The changes in byte order of the keys.
  var changes: [PropertyChange] { .sorted(properties) }

  /// Adds a property. `identifier` and `datestamp` set the entity's own, and `type` must equal the
  /// type; values that do not fit are errors, not ignored.
  mutating func add(_ change: PropertyChange) throws {
    switch (change.key, change.property?.value) {
    case ("identifier", .string(let text)?): id = try EntityID(text)
    case ("identifier", .reference(let id)?): self.id = id
    case ("datestamp", .date(let date)?): time = try HybridTime(date)
    case ("type", .string(let text)?) where EntityType(text) == type: break
    case ("identifier", nil), ("datestamp", nil), ("type", nil): break
    case ("identifier", _): throw Self.misfit(change.key, "must be a text or a reference")
    case ("datestamp", _): throw Self.misfit(change.key, "must be a date")
    case ("type", _): throw Self.misfit(change.key, "must be the type created, \"\(type)\"")
    default: properties[change.key] = change.property
    }
  }

  /// Throws if a reserved key has a value that is known only later.
  func refuseOwn(_ name: PropertyName) throws {
    guard name.reference == nil, Self.own.contains(name.key) else { return }
    throw Self.misfit(name.key, "cannot be an entity that is still to be created")
  }

  /// The value searched for takes precedence, so that the next search finds the entity.
  mutating func searched(_ reference: EntityReference) throws {
    switch reference.matcher {
    case .nothing: break
    case .id(let wanted): id = wanted
    case .property(let key, _) where Self.own.contains(key):
      throw Self.misfit(key, "is not a property that a search can create")
    case .property(let key, let value): properties[key] = StoredEntity.Property(value)
    case .anyOf(let references): for reference in references.reversed() { try searched(reference) }
    }
  }

  private static let own: Set<PropertyKey> = ["identifier", "datestamp", "type"]

  private static func misfit(_ key: PropertyKey, _ what: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "\"\(key)\" of the new entity \(what)",
      at: "property \(key)",
      remedy: "It names the entity's own \(key); use another key for a property."
    )
  }
}
