import VarveCore

/// One undo, while it runs.
final class Undoing {
  let id: CommitID
  /// When the commit was written.
  let time: HybridTime
  let cells: [Cell]
  let writer: CommitWriter
  /// Commits written since that took each other back: what they changed is as it was before them.
  private let undone: Set<CommitID>
  var report = UndoReport()
  private var histories: [EntityID: [Version]] = [:]

  init(
    _ id: CommitID,
    at time: HybridTime,
    of cells: [Cell],
    past undone: Set<CommitID>,
    by writer: CommitWriter
  ) {
    self.undone = undone
    self.id = id
    self.time = time
    self.cells = cells
    self.writer = writer
  }

  /// Undoes what the commit did: lives that ended first, so that what they had can be written, and
  /// lives that began last.
  func run() async throws -> UndoReport {
    let lives = lives()
    try await restore(lives.ended)
    let doomed = Set(lives.begun)
    for name in properties() where !doomed.contains(name.entity) { try await undo(name) }
    for cell in cells { try await undo(cell, sparing: doomed) }
    try await erase(lives.begun)
    return report
  }

  /// Whether a commit is another than this one, and changed something for good.
  func isOther(_ commit: CommitID?) -> Bool {
    commit.map { $0 != id && !undone.contains($0) } ?? false
  }

  /// Everything written to an entity, greatest first, but for what was taken back.
  func history(of entity: EntityID) async throws -> [Version] {
    if let history = histories[entity] { return history }
    let history = try await writer.writer.history(of: entity, key: nil, limit: nil)
      .filter { !undone.contains($0.commit.id) }
    histories[entity] = history
    return history
  }

  /// Whose life the commit began and whose it ended, in its order.
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

  /// The properties the commit wrote, each once.
  private func properties() -> [UndoReport.PropertyName] {
    var seen: Set<UndoReport.PropertyName> = []
    return cells.compactMap { cell in
      switch cell.content {
      case .value(let key, _, _), .removal(let key), .collection(let key):
        let name = UndoReport.PropertyName(entity: cell.entity, key: key)
        return seen.insert(name).inserted ? name : nil
      case .life, .add, .remove: return nil
      }
    }
  }

  private func undo(_ name: UndoReport.PropertyName) async throws {
    guard case .live = try await writer.writer.status(of: name.entity) else {
      report.skipped.append(.init(name.entity, key: name.key, .notLive))
      return
    }
    let history = try await history(of: name.entity)
    let versions = history.filter { $0.key == name.key }
    guard let current = versions.first else { return }
    guard current.commit.id == id else {
      // A value that never displaced the present one has no effect to undo.
      if let own = versions.first(where: { $0.commit.id == id }),
        own.commit.time < current.commit.time
      {
        report.skipped.append(
          .init(name.entity, key: name.key, .changedSince, by: current.commit)
        )
      }
      return
    }
    let birth = history.first { $0.content.isRebirth }
    let before = versions.first { version in
      version.commit.id != id && birth.map { $0.commit.time <= version.commit.time } ?? true
    }
    try await put(before?.content, under: name, insteadOf: current.content)
  }

  /// Gives a property what it was before.
  private func put(
    _ before: Cell.Content?,
    under name: UndoReport.PropertyName,
    insteadOf current: Cell.Content
  ) async throws {
    let (entity, key) = (name.entity, name.key)
    if case .collection? = before {
      guard try await writer.markCollection(entity, key, at: nil) else { return }
    } else if case .collection = current {
      let elements = try await writer.writer.elements(of: entity, key: key)
      if elements.contains(where: { isOther($0.add.commit) }) {
        report.skipped.append(.init(entity, key: key, .changedSince))
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
}

extension Cell.Content {
  fileprivate var isRebirth: Bool { if case .life(.recreated) = self { true } else { false } }

  fileprivate var property: Entity.Property? {
    guard case .value(_, let value, let semanticType) = self else { return nil }
    return Entity.Property(value, semanticType: semanticType)
  }
}
