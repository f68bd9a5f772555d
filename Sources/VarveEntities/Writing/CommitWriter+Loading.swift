import VarveCore

extension CommitWriter {
  /// Loads an entity of a document. If it is alive, its type stays.
  func load(_ record: EntityRecord) async throws -> LoadedRecord {
    try Names.validate(record.type)
    if let entity = try await commit.entity(record.id) {
      let hasChanged = try await add(record.properties, to: entity)
      return LoadedRecord(outcome: hasChanged ? .changed : .unchanged, type: entity.type)
    }
    let time = record.datestamp ?? defaultTime
    var first: [PropertyChange] = []
    var others: [EntityRecord.Property] = []
    for property in record.properties {
      if property.time ?? defaultTime == time {
        first.append(PropertyChange(key: property.key, property: property.property))
      } else {
        others.append(property)
      }
    }
    try await createValid(record.type, id: record.id, first, at: time)
    // A new life after an erased one holds its values from its beginning.
    let birth = try await commit.rebirth(of: record.id)
    for property in others {
      let time = [property.time ?? defaultTime, birth].compactMap { $0 }.max()
      try await apply(property.content, to: record.id, at: time)
    }
    return LoadedRecord(outcome: .created, type: record.type)
  }

  /// Adds the values of a document to a live entity. Returns whether the history lacked any of
  /// them.
  private func add(
    _ properties: [EntityRecord.Property],
    to entity: StoredEntity
  ) async throws -> Bool {
    var times: [PropertyKey: HybridTime]?
    var hasChanged = false
    for property in properties {
      guard let time = property.time else {
        let former = try await self.property(property.key, of: entity, at: defaultTime)
        if former == property.property { continue }
        let change = PropertyChange(key: property.key, property: property.property)
        hasChanged = try await write(change, to: entity.id, at: defaultTime) || hasChanged
        continue
      }
      let isPresent = entity.property(property.key) == property.property
      if isPresent, times == nil { times = try await commit.times(of: entity) }
      if isPresent, times?[property.key]?.isSameMillisecond(as: time) == true { continue }
      if try await knows(property, of: entity.id, at: time) { continue }
      let actual = try await timeInLife(of: entity.id, at: time)
      try await applyPaired(property.content, property.key, to: entity.id, at: actual)
      hasChanged = true
    }
    return hasChanged
  }

  /// Returns whether the history has a value at a time. Documents have times to the millisecond
  /// only.
  private func knows(
    _ property: EntityRecord.Property,
    of id: EntityID,
    at time: HybridTime
  ) async throws -> Bool {
    for version in try await commit.history(of: id, key: property.key, limit: nil)
    where version.content == property.content && version.time.isSameMillisecond(as: time) {
      // A value of a former life does not count, nor one that another of the same time hides.
      if try await commit.says(property.content, of: id, at: version.time) { return true }
    }
    return false
  }
}

extension EntityRecord.Property {
  fileprivate var content: Cell.Content {
    .value(key, property.value, semanticType: property.semanticType)
  }
}

extension HybridTime {
  fileprivate func isSameMillisecond(as other: HybridTime) -> Bool {
    millisecondsSince1970 == other.millisecondsSince1970
  }
}
