import VarveCore

/// What is to be written to one property: a value, or nil to remove it.
struct PropertyChange {
  var key: PropertyKey
  var property: Entity.Property?

  func validate() throws {
    guard let property else { return try Names.validate(key) }
    try Names.validate(key, property)
  }
}

extension CommitWriter {
  /// Writes properties of a live entity, equal values too (R3).
  func set(_ id: EntityID, _ changes: [PropertyChange], at time: HybridTime?) async throws {
    for change in changes { try change.validate() }
    try await requireLive(id)
    for change in changes { try await write(change, to: id, at: time ?? defaultTime) }
  }

  /// Writes what differs from what a live entity has; answers whether anything did.
  ///
  /// - Parameter comparesSemanticTypes: whether another semantic type is a difference.
  func update(
    _ id: EntityID,
    _ changes: [PropertyChange],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> Bool {
    for change in changes { try change.validate() }
    guard let entity = try await writer.entity(id) else { throw try await writer.absence(of: id) }
    var hasWritten = false
    for change in changes {
      let isSame =
        comparesSemanticTypes
        ? entity.property(change.key) == change.property
        : entity[change.key] == change.property?.value
      if isSame {
        // A to-many property is none of the entity's values, and ends as they do.
        guard change.property == nil, try await writer.isCollection(id, change.key) else {
          continue
        }
      }
      try await write(change, to: id, at: time ?? defaultTime)
      hasWritten = true
    }
    return hasWritten
  }

  /// Writes or removes a property; answers whether history did not say so already.
  @discardableResult
  func write(
    _ change: PropertyChange,
    to id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let property = change.property else {
      return try await remove(change.key, of: id, at: time)
    }
    let content = Cell.Content.value(
      change.key,
      property.value,
      semanticType: property.semanticType
    )
    return try await write(content, change.key, to: id, at: time)
  }

  /// Removes a property, if there is something to remove.
  private func remove(
    _ key: PropertyKey,
    of id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    let isThere: Bool
    if time != nil {
      isThere = try await !writer.history(of: id, key: key, limit: 1).isEmpty
    } else if try await writer.entity(id)?[key] != nil {
      isThere = true
    } else {
      isThere = try await writer.isCollection(id, key)
    }
    guard isThere else { return false }
    return try await write(.removal(key), key, to: id, at: time)
  }

  /// Writes a property's cell: above what it replaces, or at a time, unless it says there what
  /// history says already (R4).
  func write(
    _ content: Cell.Content,
    _ key: PropertyKey,
    to id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let time else {
      let above = try await timeAboveCurrent(of: id, key)
      try await applyPaired(content, key, to: id, at: above)
      return true
    }
    guard try await !writer.contains(content, of: id, time: time) else { return false }
    try await applyPaired(content, key, to: id, at: time)
    return true
  }

  /// Writes a property's cell, and the edges that are one fact with it: every cell of a property of
  /// a live entity goes this way (R28).
  func applyPaired(
    _ content: Cell.Content,
    _ key: PropertyKey,
    to id: EntityID,
    at time: HybridTime?
  ) async throws {
    try await apply(content, to: id, at: time)
    for pair in try await writer.pairedEdges(of: id, key: key) {
      try await move(
        pair,
        of: id,
        to: content.value.flatMap(EntityID.init(propertyValue:)),
        at: time
      )
    }
  }
}
