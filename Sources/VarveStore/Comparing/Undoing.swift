import VarveCore

/// One undo, while it runs.
final class Undoing {
  let id: CommitID
  /// When the commit was written.
  let time: HybridTime
  let cells: [Cell]
  let writer: CommitWriter
  var report = UndoReport()
  private var histories: [EntityID: [Version]] = [:]
  /// The adds of relations as they were before this undo wrote anything.
  var families: [RelationName: AddFamilies] = [:]
  /// Everything that commits had seen, looked up once.
  private var frontiers: [CommitID: Frontier] = [:]

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

  /// Undoes what the commit did: lives that ended first, so that what they had can be written, and
  /// lives that began last.
  ///
  /// An entity may need its owner back to live, the owner a reference that is set back, and the
  /// reference another entity. So all three are tried in turns until none of them gets further.
  func run() async throws -> UndoReport {
    let lives = try await lives()
    var plans: [Plan] = []
    for name in relations() { plans.append(try await plan(for: name, sparing: Set(lives.begun))) }
    var ended = try await restorable(lives.ended)
    // What the commit created goes with its values; what it restored had some before.
    let created = Set(cells.filter(\.content.isBeginning).map(\.entity))
      .subtracting(lives.shared)
    var properties = properties().filter { !created.contains($0.name.entity) }
    var count = -1
    while count != report.count {
      count = report.count
      try await restore(&ended, lives.times, by: &plans)
      try await undo(&properties)
    }
    for entity in ended { report.skipped.append(.init(entity, .ownersDead)) }
    for property in properties {
      report.skipped.append(.init(property.name.entity, key: property.name.key, .notLive))
    }
    try await undoRelations(&plans)
    let erased = try await erase(lives)
    try await remove(plans, to: erased)
    return report
  }

  // MARK: What other commits did

  /// Whether a commit came after the one that is undone, and is not this undo.
  func isLater(_ commit: CommitSummary) -> Bool {
    commit.id != id && time < commit.time && commit.time < writer.writer.time
  }

  /// Those of the commits that wrote one thing that changed it since for good, the latest first. What
  /// one of them did and another undid is as it was, so neither counts.
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

  /// Whether the author of a commit had seen another.
  func hasSeen(_ later: CommitID, _ earlier: CommitID) async throws -> Bool {
    if let frontier = frontiers[later] { return frontier.covers(earlier) }
    let frontier = try await writer.writer.frontier(of: later)
    frontiers[later] = frontier
    return frontier.covers(earlier)
  }

  /// Everything written to an entity before this undo wrote anything, greatest first.
  func history(of entity: EntityID) async throws -> [Version] {
    if let history = histories[entity] { return history }
    let history = try await writer.writer.history(of: entity, key: nil, limit: nil)
      .filter { $0.commit.time < writer.writer.time }
    histories[entity] = history
    return history
  }

  /// What was written to one property, or to the life for nil, but for what was taken back since.
  func standing(_ key: PropertyKey?, of entity: EntityID) async throws -> [Version] {
    let versions = try await history(of: entity).filter { $0.content.key == key }
    let lasting = Set(lasting(versions.map(\.commit)).map(\.id))
    return versions.filter { !isLater($0.commit) || lasting.contains($0.commit.id) }
  }

  /// The commit that created an entity anew since, if one did, whether that was undone or not.
  func rebirth(of entity: EntityID) async throws -> CommitSummary? {
    try await history(of: entity).first { $0.content.isRebirth && isLater($0.commit) }?.commit
  }
}

extension UndoReport {
  /// How much was undone so far.
  fileprivate var count: Int { properties.count + restored.count + related.count }
}

extension Cell.Content {
  var isBeginning: Bool {
    switch self {
    case .life(.created), .life(.recreated): true
    default: false
    }
  }

  var isRebirth: Bool { if case .life(.recreated) = self { true } else { false } }
}
