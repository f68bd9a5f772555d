import VarveCore

/// Values, and what makes a property a to-many one.
extension Undoing {
  /// A property the commit wrote, and the times it wrote it for.
  struct WrittenProperty {
    let name: UndoReport.PropertyName
    /// In rising order; nil for the commit's own time, which comes first.
    var times: [HybridTime?]
  }

  /// The properties the commit wrote, each once.
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

  /// Undoes the properties of live entities; leaves those of others.
  func undo(_ properties: inout [WrittenProperty]) async throws {
    var left: [WrittenProperty] = []
    for property in properties {
      if case .live = try await writer.writer.status(of: property.name.entity) {
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
    // What was written before the entity was created anew may be greater, and does not count.
    let birth = try await history(of: name.entity).first { $0.content.isRebirth }?.commit.stamp
    let versions = try await standing(name.key, of: name.entity).filter { version in
      birth.map { $0 <= version.commit.stamp } ?? true
    }
    let writeCount = writer.writeCount
    for time in property.times { try await undo(name, at: time, among: versions) }
    guard writer.writeCount != writeCount else { return }
    report.properties.append(name)
    if try await hasSettled(versions) {
      report.skipped.append(.init(name.entity, key: name.key, .conflictSettled))
    }
  }

  /// Gives a property what it had before the commit: from the time on that the commit wrote it for,
  /// or now if it wrote it for no other time.
  ///
  /// - Parameter versions: what counts of the property, greatest first.
  private func undo(
    _ name: UndoReport.PropertyName,
    at time: HybridTime?,
    among versions: [Version]
  ) async throws {
    let isOwn = { (version: Version) in
      version.commit.id == self.id && version.time == time ?? self.time
    }
    guard let place = versions.firstIndex(where: isOwn) else { return }
    let others = versions.filter { $0.commit.id != id }
    let hiding = versions[..<place].first {
      $0.commit.id != id && (time == nil || $0.time == time)
    }
    if let hiding {
      report.skipped.append(.init(name.entity, key: name.key, .changedSince, by: hiding.commit))
      return
    }
    let before = time.map { time in others.first { $0.time <= time } } ?? others.first
    // An equal value is written too: else the commit would stand in the way of undoing those before.
    try await put(before?.content, under: name, insteadOf: versions[place].content, at: time)
  }

  /// Gives a property what it was before.
  private func put(
    _ before: Cell.Content?,
    under name: UndoReport.PropertyName,
    insteadOf current: Cell.Content,
    at time: HybridTime?
  ) async throws {
    let (entity, key) = (name.entity, name.key)
    let content = before ?? .removal(key)
    if case .collection = content {
    } else if case .collection = current, let change = try await change(ofElementsUnder: name) {
      report.skipped.append(.init(entity, key: key, .changedSince, by: change))
      return
    }
    try await writer.applyPaired(content, key, to: entity, at: time)
  }

  /// A later commit that added an element that stands.
  private func change(
    ofElementsUnder name: UndoReport.PropertyName
  ) async throws -> CommitSummary? {
    let relation = RelationName(source: name.entity, relation: Relation(.member, name.key))
    return try await families(of: relation).all
      .filter { family in family.adds.contains(where: \.stands) && isLater(family.origin.commit) }
      .compactMap { lasting($0.commits).first }.first
  }

  /// Whether the commit wrote a property that was in conflict for its author. A later write has seen
  /// all versions, and so has an undo: the conflict stays settled.
  private func hasSettled(_ versions: [Version]) async throws -> Bool {
    // One replica alone never conflicts with itself.
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

extension CommitSummary {
  fileprivate var stamp: Stamp { Stamp(time: time, replica: id.replica) }
}
