package import VarveCore

/// The change of one property: a value, or nil to remove it.
package struct PropertyChange {
  package let key: PropertyKey
  /// The value; nil to remove the property.
  package let value: Value?
  /// The semantic type of the value.
  let semanticType: String
  /// Whether an equal value of another semantic type is no change, even if semantic types compare.
  var isPlain: Bool

  package init(key: PropertyKey, property: StoredEntity.Property?, isPlain: Bool = false) {
    self.key = key
    value = property?.value
    semanticType = property?.semanticType ?? ""
    self.isPlain = isPlain
  }

  /// Creates a change to a value with the semantic type of its kind; nil removes the property.
  init(key: PropertyKey, value: Value?) {
    self.key = key
    self.value = value
    semanticType = value?.kind.name ?? ""
    isPlain = false
  }

  /// The value and its semantic type; nil to remove the property.
  package var property: StoredEntity.Property? {
    value.map { StoredEntity.Property($0, semanticType: semanticType) }
  }

  package func validate() throws {
    try Names.validate(key)
    guard let value else { return }
    try Names.validate(semanticType: semanticType, of: key)
    try value.validate(at: "property \(key)")
  }
}

extension [PropertyChange] {
  func validate() throws {
    // Each part is read where it is. Copies of whole changes would count references to all parts.
    for place in indices {
      let key = self[place].key
      try Names.validate(key)
      guard let value = self[place].value else { continue }
      try Names.validate(semanticType: self[place].semanticType, of: key)
      try value.validate(at: "property \(key)")
    }
  }
}

extension StoredEntity {
  /// Returns whether a property is as a change makes it.
  fileprivate func isSame(as change: PropertyChange, comparesSemanticTypes: Bool) -> Bool {
    guard !comparesSemanticTypes || change.isPlain else {
      return property(change.key) == change.property
    }
    return self[change.key] == change.value
  }
}

extension CommitWriter {
  /// Writes properties of a live entity, equal values too (R3).
  package func set(_ id: EntityID, _ changes: [PropertyChange], at time: HybridTime?) async throws {
    try changes.validate()
    try await requireLive(id)
    for change in changes {
      try await write(change, to: id, at: time ?? defaultTime, isStated: true)
    }
  }

  /// Writes a property of a live entity, an equal value too (R3).
  func set(_ id: EntityID, _ change: PropertyChange, at time: HybridTime?) async throws {
    try change.validate()
    try await requireLive(id)
    try await write(change, to: id, at: time ?? defaultTime, isStated: true)
  }

  /// Writes the differences from the values of a live entity at present, or at a date. Returns
  /// whether there were any.
  ///
  /// - Parameter comparesSemanticTypes: whether another semantic type is a difference.
  package func update(
    _ id: EntityID,
    _ changes: [PropertyChange],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> Bool {
    try changes.validate()
    return try await updateValid(
      id,
      changes,
      comparesSemanticTypes: comparesSemanticTypes,
      at: time
    )
  }

  /// Writes the differences of validated changes; see
  /// ``update(_:_:comparesSemanticTypes:at:)``.
  func updateValid(
    _ id: EntityID,
    _ changes: [PropertyChange],
    comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let entity = try await commit.entity(id) else { throw try await commit.absence(of: id) }
    if commit.mayHoldLaterTimes { try await requireReachable(id) }
    let time = time ?? defaultTime
    var hasWritten = false
    for place in changes.indices {
      let isSame =
        if time == nil {
          entity.isSame(as: changes[place], comparesSemanticTypes: comparesSemanticTypes)
        } else {
          try await isSame(changes[place], of: entity, comparesSemanticTypes, at: time)
        }
      if isSame {
        // A to-many property is not among the entity's values, but is removed in the same way.
        guard changes[place].value == nil,
          try await isCollection(id, changes[place].key, at: time)
        else { continue }
      }
      hasWritten = try await write(changes[place], to: id, at: time) || hasWritten
    }
    return hasWritten
  }

  /// Returns whether a property was at a date as a change makes it.
  private func isSame(
    _ change: PropertyChange,
    of entity: StoredEntity,
    _ comparesSemanticTypes: Bool,
    at time: HybridTime?
  ) async throws -> Bool {
    let former = try await property(change.key, of: entity, at: time)
    return comparesSemanticTypes && !change.isPlain
      ? former == change.property : former?.value == change.value
  }

  /// States a property of a live entity for a date (R4), or writes the difference from its present
  /// value. Returns whether anything was written.
  func state(_ id: EntityID, _ change: PropertyChange, at time: HybridTime?) async throws -> Bool {
    guard let time = time ?? defaultTime else {
      return try await update(id, [change], comparesSemanticTypes: true, at: nil)
    }
    try change.validate()
    try await requireLive(id)
    return try await write(change, to: id, at: time, isStated: true)
  }

  /// Returns a property of a live entity at present, or at a date: at the last time that belongs to
  /// the date.
  package func property(
    _ key: PropertyKey,
    of entity: StoredEntity,
    at time: HybridTime?
  ) async throws -> StoredEntity.Property? {
    guard let time else { return entity.property(key) }
    let register = try await commit.register(of: entity.id, key: key, at: time.lastOfDate)
    guard case .value(_, let value, let semanticType)? = register?.content else { return nil }
    return StoredEntity.Property(value, semanticType: semanticType)
  }

  /// Returns whether a property is to-many at present, or was at a date.
  func isCollection(_ id: EntityID, _ key: PropertyKey, at time: HybridTime?) async throws -> Bool {
    guard let time else { return try await commit.isCollection(id, key) }
    let register = try await commit.register(of: id, key: key, at: time.lastOfDate)
    if case .collection? = register?.content { return true }
    return false
  }

  /// Writes or removes a property. Returns whether the history changed.
  @discardableResult
  package func write(
    _ change: PropertyChange,
    to id: EntityID,
    at time: HybridTime?,
    isStated: Bool = false
  ) async throws -> Bool {
    guard change.value != nil else {
      if isStated, let time {
        return try await write(.removal(change.key), change.key, to: id, at: time)
      }
      return try await remove(change.key, of: id, at: time)
    }
    return try await write(change.content, change.key, to: id, at: time)
  }

  /// Removes a property, if there is something to remove.
  private func remove(
    _ key: PropertyKey,
    of id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let entity = try await commit.entity(id) else { return false }
    if try await property(key, of: entity, at: time) == nil {
      guard try await isCollection(id, key, at: time) else { return false }
    }
    return try await write(.removal(key), key, to: id, at: time)
  }

  /// Writes a property's cell above the one it replaces, or at a time. With a date, it takes the
  /// time of the greatest cell within that date, which it replaces. Writes nothing if that cell is
  /// equal (R4).
  func write(
    _ content: Cell.Content,
    _ key: PropertyKey,
    to id: EntityID,
    at time: HybridTime?
  ) async throws -> Bool {
    guard let time else {
      let above = commit.mayHoldLaterTimes ? try await timeAboveCurrent(of: id, key) : nil
      if commit.mayHavePairedEdges {
        try await applyPaired(content, key, to: id, at: above)
      } else {
        try await apply(content, to: id, at: above)
      }
      return true
    }
    let actual = try await timeInLife(of: id, at: time) ?? time
    // A date stands for a whole millisecond: what was written within it is replaced too.
    let last = try await commit.register(of: id, key: key, at: time.lastOfDate)
    guard let last, last.time >= actual else {
      try await applyPaired(content, key, to: id, at: actual)
      return true
    }
    guard last.content != content else { return false }
    let above = try await timeAboveLaterCommits(of: id, key, at: last.time)
    try await applyPaired(content, key, to: id, at: above)
    return true
  }

  /// Writes a property's cell and the edges that are paired with it (R28). Every property cell of
  /// a live entity is written here. An equal reference leaves its edge at its position.
  ///
  /// - Parameter version: an earlier version with the same content, which is restored. Its edges
  ///   get their positions again.
  func applyPaired(
    _ content: Cell.Content,
    _ key: PropertyKey,
    to id: EntityID,
    at time: HybridTime?,
    restoring version: Version? = nil
  ) async throws {
    try await apply(content, to: id, at: time)
    guard commit.mayHavePairedEdges else { return }
    let other = content.value.flatMap(EntityID.init(referenceIn:))
    for pair in try await commit.pairedEdges(of: id, key: key) {
      let position = try await position(of: pair, of: id, to: other, as: version)
      try await move(pair, of: id, to: other, at: time, position: position)
    }
  }
}
