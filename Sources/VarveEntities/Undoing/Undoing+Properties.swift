import VarveCore

/// Undoes changes of values, and of single values to to-many properties.
extension Undoing {
  /// A property that the commit wrote, and the times for which it wrote it.
  struct WrittenProperty {
    let name: UndoReport.PropertyName
    /// The times, ascending; nil for the commit's own time, which is first.
    var times: [HybridTime?]
  }

  /// Returns the properties that the commit wrote, each once.
  func properties() -> [WrittenProperty] {
    var places: [UndoReport.PropertyName: Int] = [:]
    var written: [WrittenProperty] = []
    for cell in cells {
      guard let key = cell.content.key else { continue }
      let name = UndoReport.PropertyName(entity: cell.entity, key: key)
      if let place = places[name] {
        if !written[place].times.contains(cell.time) { written[place].times.append(cell.time) }
      } else {
        places[name] = written.count
        written.append(WrittenProperty(name: name, times: [cell.time]))
      }
    }
    for place in written.indices {
      written[place].times.sort { ($0 ?? .distantPast) < ($1 ?? .distantPast) }
    }
    return written
  }

  /// Undoes the properties of live entities; leaves the others.
  func undo(_ properties: inout [WrittenProperty]) async throws {
    var left: [WrittenProperty] = []
    for property in properties {
      if case .live = try await writer.commit.status(of: property.name.entity) {
        try await undo(property)
      } else {
        left.append(property)
      }
    }
    properties = left
  }

  private func undo(_ property: WrittenProperty) async throws {
    let name = property.name
    if let rebirth = try await rebirth(of: name.entity) {
      report.skipped.append(.init(name.entity, key: name.key, .changedSince, by: rebirth))
      return
    }
    // Versions of a former life may be greater, but do not count.
    let birth = try await lives(of: name.entity).first { $0.content.isRebirth }
    let versions = try await standing(name.key, of: name.entity).filter { $0.counts(since: birth) }
    let writeCount = writer.writeCount
    for time in property.times { try await undo(name, at: time, among: versions) }
    for time in try await returns(of: property, since: birth) {
      try await undoReturn(of: name, at: time, among: versions)
    }
    guard writer.writeCount != writeCount else { return }
    report.properties.append(name)
    if try await hasSettled(versions) {
      report.skipped.append(.init(name.entity, key: name.key, .conflictSettled))
    }
  }

  /// Restores the earlier value of a property from the time for which the commit wrote it, or now
  /// if it wrote it for its own time.
  ///
  /// - Parameter versions: the versions of the property that count, greatest first.
  private func undo(
    _ name: UndoReport.PropertyName,
    at time: HybridTime?,
    among versions: [Version]
  ) async throws {
    let isOwn = { (version: Version) in
      version.commit.id == self.id && version.time == time ?? self.time
    }
    guard let place = versions.firstIndex(where: isOwn) else { return }
    if time == nil, staysToMany(at: place, among: versions) {
      // Its elements are undone one by one.
      if place == versions.startIndex { restoredWholes.append((name, nil)) }
      return
    }
    let others = versions.filter { $0.commit.id != id }
    let hiding = versions[..<place].first {
      $0.commit.id != id && (time == nil || $0.time == time)
    }
    if let hiding {
      report.skipped.append(.init(name.entity, key: name.key, .changedSince, by: hiding.commit))
      return
    }
    let before = time.map { time in others.first { $0.time <= time } } ?? others.first
    // An equal value is written too; otherwise the commit would prevent the undo of earlier ones.
    try await put(before, under: name, insteadOf: versions[place], at: time)
  }

  /// Returns further times at which the content of the commit may have been written again: those at
  /// which the undo of a later commit left a cell. Nil stands for the present.
  ///
  /// - Parameter birth: the beginning of the present life if the entity was re-created.
  private func returns(
    of property: WrittenProperty,
    since birth: Version?
  ) async throws -> [HybridTime?] {
    let name = property.name
    let all = try await history(of: name.entity, key: name.key).filter { version in
      version.counts(since: birth)
    }
    let lasting = Set(lasting(all.map(\.commit)).map(\.id))
    var times: [HybridTime?] = []
    for (index, version) in all.enumerated()
    where isLater(version.commit) && !lasting.contains(version.commit.id) {
      let isDated = version.time != version.commit.time
      // A cell without a time of its own is reverted now, and only if it is current.
      guard isDated || index == 0 else { continue }
      let time = isDated ? version.time : nil
      if !property.times.contains(time), !times.contains(time) { times.append(time) }
    }
    return times
  }

  /// Restores the earlier value of a property at a time at which the undo of a later commit wrote
  /// the value of this one again.
  private func undoReturn(
    of name: UndoReport.PropertyName,
    at time: HybridTime?,
    among versions: [Version]
  ) async throws {
    let isEarlier = { (version: Version) in time.map { version.time <= $0 } ?? true }
    guard let current = versions.first(where: isEarlier), current.commit.id == id else { return }
    let before = versions.first { $0.commit.id != id && isEarlier($0) }
    try await put(before, under: name, insteadOf: current, at: time)
  }

  /// Restores an earlier version of a property.
  private func put(
    _ before: Version?,
    under name: UndoReport.PropertyName,
    insteadOf current: Version,
    at time: HybridTime?
  ) async throws {
    let (entity, key) = (name.entity, name.key)
    // The value before a folded one is not known.
    guard try await !writer.commit.hasFolded(key, at: max(self.time, current.time)) else {
      report.skipped.append(.init(entity, key: key, .compacted))
      return
    }
    let content = before?.content ?? .removal(key)
    if case .collection = content {
    } else if case .collection = current.content,
      let change = try await change(ofElementsUnder: name)
    {
      report.skipped.append(.init(entity, key: key, .changedSince, by: change))
      return
    }
    if let before, let time, before.time == time, case .collection = content,
      try await writer.wholeStatements(of: entity, key).contains(before)
    {
      restoredWholes.append((name, time))
    }
    if let before { try await noteLostEdges(of: before, of: entity, at: time) }
    try await writer.applyPaired(content, key, to: entity, at: time, restoring: before)
  }

  /// Returns whether a property was to-many before a version that says so, and in all later ones.
  private func staysToMany(at place: Int, among versions: [Version]) -> Bool {
    let former = versions[place...].first { $0.commit.id != id }
    return former?.isMarker == true && versions[...place].allSatisfy(\.isMarker)
  }

  /// States to-many properties as a whole for dates again, after their elements were added.
  func stateRestoredWholes() async throws {
    for (name, time) in restoredWholes where time != nil {
      guard case .live = try await writer.commit.status(of: name.entity) else { continue }
      try await writer.stateWhole(name.entity, name.key, at: time)
    }
  }

  /// States to-many properties as a whole of which elements were undone for the present.
  func statePresentWholes() async throws {
    let edges = Set((report.related + report.unrelated).map(\.property))
    for (name, time) in restoredWholes where time == nil && edges.contains(name) {
      guard case .live = try await writer.commit.status(of: name.entity) else { continue }
      try await writer.stateWhole(name.entity, name.key, at: nil)
    }
  }

  /// Returns a later commit that added an element which is in effect.
  private func change(
    ofElementsUnder name: UndoReport.PropertyName
  ) async throws -> CommitSummary? {
    let relation = RelationName(source: name.entity, relation: Relation(.member, name.key))
    return try await families(of: relation).all
      .filter { family in family.adds.contains(where: \.stands) && isLater(family.origin.commit) }
      .compactMap { lasting($0).first }.first
  }

  /// Returns whether the property was in conflict for the author of the commit. A later write has
  /// seen all versions, and so has an undo: the conflict stays settled.
  private func hasSettled(_ versions: [Version]) async throws -> Bool {
    // A single replica has no conflicts.
    guard Set(versions.map(\.commit.id.replica)).count > 1 else { return false }
    var seen: [Version] = []
    for version in versions where version.commit.id != id {
      if try await hasSeen(id, version.commit.id) { seen.append(version) }
    }
    var heads: [Version] = []
    for (index, version) in seen.enumerated() {
      var isSuperseded = false
      for (other, later) in seen.enumerated() where other != index && !isSuperseded {
        isSuperseded =
          later.commit.id == version.commit.id
          ? other < index : try await hasSeen(later.commit.id, version.commit.id)
      }
      if !isSuperseded { heads.append(version) }
    }
    return Conflict.heads(among: heads, content: \.content) { _, _ in false } != nil
  }
}

extension UndoReport.EdgeName {
  /// The property of whose elements it is one; nil for a relation.
  fileprivate var property: UndoReport.PropertyName? {
    relation.kind == .member ? .init(entity: source, key: relation.name) : nil
  }
}

extension Version {
  /// Whether it says that the property is to-many.
  fileprivate var isMarker: Bool { if case .collection = content { true } else { false } }
}

extension CommitSummary {
  fileprivate var stamp: Stamp { Stamp(time: time, replica: id.replica) }
}

extension Version {
  /// Returns whether a version of a property belongs to the life that a re-creation began. The
  /// commit that re-created the entity may have written to its former life before.
  fileprivate func counts(since birth: Version?) -> Bool {
    guard let birth else { return true }
    guard commit.stamp == birth.commit.stamp else { return birth.commit.stamp < commit.stamp }
    // A value without an ordinal was given with the creation.
    guard let ordinal, let first = birth.ordinal else { return true }
    return first < ordinal
  }
}
