import VarveCore

/// A running undo.
final class Undoing {
  let id: CommitID
  /// The time at which the commit was written.
  let time: HybridTime
  let cells: [Cell]
  let writer: CommitWriter
  var report = UndoReport()
  private var histories: [EntityID: [Version]] = [:]
  /// The adds of relations before this undo wrote anything.
  var families: [RelationName: AddFamilies] = [:]

  /// A relation out of an entity.
  struct RelationName: Hashable {
    let source: EntityID
    let relation: Relation
  }

  init(_ id: CommitID, at time: HybridTime, of cells: [Cell], by writer: CommitWriter) {
    self.id = id
    self.time = time
    self.cells = cells
    self.writer = writer
  }

  /// Undoes the commit. Lives that it ended are restored first, so that their properties can be
  /// written; lives that it began are erased last.
  func run() async throws -> UndoReport {
    let lives = lives()
    for name in relations() { _ = try await families(of: name) }
    try await restore(lives.ended)
    // The values of a created entity end with it. A restored entity had values before.
    let created = Set(cells.filter(\.content.isBeginning).map(\.entity))
    for name in properties() where !created.contains(name.entity) { try await undo(name) }
    let plans = try await undoRelations(sparing: Set(lives.begun))
    let erased = try await erase(lives.begun)
    try await remove(plans, to: erased)
    return report
  }

  // MARK: What later commits did

  /// Returns whether a commit is later than the undone one, and is not this undo.
  func isLater(_ commit: CommitSummary) -> Bool {
    commit.id != id && time < commit.time && commit.time < writer.writer.time
  }

  /// Returns those of the commits that changed one thing with a lasting effect since, latest first.
  /// A commit and its undo have no lasting effect together.
  func lasting(_ commits: some Sequence<CommitSummary>) -> [CommitSummary] {
    let later = Set(commits.filter(isLater)).sorted { ($1.time, $1.id) < ($0.time, $0.id) }
    let names = Set(later.map(\.id))
    var undone: Set<CommitID> = []
    return later.filter { commit in
      guard !undone.contains(commit.id) else { return false }
      guard let former = commit.undone, names.contains(former) else { return true }
      undone.insert(former)
      return false
    }
  }

  /// Returns everything written to an entity, greatest first.
  func history(of entity: EntityID) async throws -> [Version] {
    if let history = histories[entity] { return history }
    let history = try await writer.writer.history(of: entity, key: nil, limit: nil)
    histories[entity] = history
    return history
  }

  /// Returns the versions of one property, or of the life for nil, without those that were undone
  /// since.
  func standing(_ key: PropertyKey?, of entity: EntityID) async throws -> [Version] {
    let versions = try await history(of: entity).filter { $0.content.key == key }
    let lasting = Set(lasting(versions.map(\.commit)).map(\.id))
    return versions.filter { !isLater($0.commit) || lasting.contains($0.commit.id) }
  }

  /// Returns the commit that created an entity anew since, if there is one, even if it was undone.
  func rebirth(of entity: EntityID) async throws -> CommitSummary? {
    try await history(of: entity).first { $0.content.isRebirth && isLater($0.commit) }?.commit
  }

  /// Returns the entities whose life the commit began, and those whose life it ended, in order.
  private func lives() -> (begun: [EntityID], ended: [EntityID]) {
    var order: [EntityID] = []
    var lives: [EntityID: (first: Life, last: Life)] = [:]
    for cell in cells {
      guard case .life(let life) = cell.content else { continue }
      if lives[cell.entity] == nil { order.append(cell.entity) }
      lives[cell.entity] = (lives[cell.entity]?.first ?? life, life)
    }
    var (begun, ended): ([EntityID], [EntityID]) = ([], [])
    for entity in order {
      switch (lives[entity]?.first, lives[entity]?.last) {
      case (.erased, .erased): ended.append(entity)
      case (.erased, .recreated): report.skipped.append(.init(entity, .createdAnew))
      case (.erased, _), (_, .erased): break
      default: begun.append(entity)
      }
    }
    return (begun, ended)
  }

  // MARK: Properties

  /// Returns the properties that the commit wrote, each once.
  private func properties() -> [UndoReport.PropertyName] {
    var seen: Set<UndoReport.PropertyName> = []
    return cells.compactMap { cell in
      guard let key = cell.content.key else { return nil }
      let name = UndoReport.PropertyName(entity: cell.entity, key: key)
      return seen.insert(name).inserted ? name : nil
    }
  }

  private func undo(_ name: UndoReport.PropertyName) async throws {
    guard case .live = try await writer.writer.status(of: name.entity) else {
      report.skipped.append(.init(name.entity, key: name.key, .notLive))
      return
    }
    if let rebirth = try await rebirth(of: name.entity) {
      report.skipped.append(.init(name.entity, key: name.key, .changedSince, by: rebirth))
      return
    }
    // A value from before the re-creation may be greater, but does not count.
    let birth = try await history(of: name.entity).first { $0.content.isRebirth }?.commit.stamp
    let versions = try await standing(name.key, of: name.entity).filter { version in
      birth.map { $0 <= version.commit.stamp } ?? true
    }
    guard let current = versions.first else { return }
    guard current.commit.id == id else {
      // A value that never displaced the present one has no effect to undo.
      if versions.contains(where: { $0.commit.id == id }), isLater(current.commit) {
        report.skipped.append(
          .init(name.entity, key: name.key, .changedSince, by: current.commit)
        )
      }
      return
    }
    let before = versions.first { $0.commit.id != id }
    try await put(before?.content, under: name, insteadOf: current.content)
  }

  /// Restores the former state of a property.
  private func put(
    _ before: Cell.Content?,
    under name: UndoReport.PropertyName,
    insteadOf current: Cell.Content
  ) async throws {
    let (entity, key) = (name.entity, name.key)
    if case .collection? = before {
      guard try await writer.markCollection(entity, key, at: nil) else { return }
    } else if case .collection = current {
      if let change = try await change(ofElementsUnder: name) {
        report.skipped.append(.init(entity, key: key, .changedSince, by: change))
        return
      }
      let content = before?.property.map {
        Cell.Content.value(key, $0.value, semanticType: $0.semanticType)
      }
      _ = try await writer.write(content ?? .removal(key), key, to: entity, at: nil)
    } else {
      let change = PropertyChange(key: key, property: before?.property)
      try await writer.set(entity, [change], at: nil)
    }
    report.properties.append(name)
  }

  /// Returns a later commit that added an element that still counts.
  private func change(
    ofElementsUnder name: UndoReport.PropertyName
  ) async throws -> CommitSummary? {
    let relation = RelationName(source: name.entity, relation: Relation(.member, name.key))
    return try await families(of: relation).all
      .filter { family in family.adds.contains(where: \.stands) && isLater(family.origin.commit) }
      .compactMap { lasting($0.commits).first }.first
  }
}

extension CommitSummary {
  fileprivate var stamp: Stamp { Stamp(time: time, replica: id.replica) }
}

extension Cell.Content {
  var isBeginning: Bool {
    switch self {
    case .life(.created), .life(.recreated): true
    default: false
    }
  }

  var isRebirth: Bool { if case .life(.recreated) = self { true } else { false } }

  fileprivate var property: StoredEntity.Property? {
    guard case .value(_, let value, let semanticType) = self else { return nil }
    return StoredEntity.Property(value, semanticType: semanticType)
  }
}
