import VarveCore

/// A running undo of one commit.
final class Undoing {
  let id: CommitID
  /// The time of the commit.
  let time: HybridTime
  let cells: [Cell]
  /// Whether the commit destroyed data.
  let isForgetting: Bool
  let writer: CommitWriter
  var report = UndoReport()
  private var histories: [EntityID: [Version]] = [:]
  private var lifeVersions: [EntityID: [Version]] = [:]
  private var propertyVersions: [UndoReport.PropertyName: [Version]] = [:]
  /// The adds of relations as they were before this undo wrote anything.
  var families: [RelationName: AddFamilies] = [:]
  /// The markers that state a whole to-many property (R4), with their times; nil for the present.
  var restoredWholes: [(name: UndoReport.PropertyName, time: HybridTime?)] = []
  /// The edges of references that this undo writes again, if they had been removed without them.
  var lostEdges: Set<UndoReport.EdgeName> = []
  /// The frontiers that commits had seen, cached.
  private var frontiers: [CommitID: Frontier] = [:]
  /// The newest commits, as far as undos of later commits were looked for.
  var recent: [CommitSummary] = []
  /// The identifiers of ``recent``.
  var recentIDs: Set<CommitID> = []

  /// A relation out of an entity.
  struct RelationName: Hashable {
    let source: EntityID
    let relation: Relation
  }

  init(_ commit: Commit, by writer: CommitWriter) throws {
    id = commit.id
    time = commit.header.time
    // What a request did can be undone; that it was carried out stays true.
    cells = try commit.cells().filter { !$0.entity.isRequestRecord }
    isForgetting = commit.header.kind == .redactions
    self.writer = writer
  }

  /// Undoes the commit: ended lives first, so that their properties can be written, and begun lives
  /// last.
  ///
  /// An entity may need its owner to live, the owner a restored reference, and the reference
  /// another entity. So all three are attempted in turn until none of them makes progress.
  func run() async throws -> UndoReport {
    let lives = try await lives()
    var plans: [Plan] = []
    for name in relations() { plans.append(try await plan(for: name, sparing: Set(lives.begun))) }
    var ended = try await restorable(lives.ended)
    // Created entities are erased with their values; restored ones had some before.
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
    try await stateRestoredWholes()
    let erased = try await erase(lives)
    try await remove(plans, to: erased)
    try await statePresentWholes()
    return report
  }

  // MARK: Changes by other commits

  /// Returns whether a commit is later than the undone one, and is not this undo.
  func isLater(_ commit: CommitSummary) -> Bool {
    commit.id != id && time < commit.time && commit.time < writer.commit.time
  }

  /// Returns the commits whose later changes are still in effect, the latest first. A commit and
  /// the commit that undid it do not count.
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

  /// Returns whether the author of a commit had seen another commit.
  func hasSeen(_ later: CommitID, _ earlier: CommitID) async throws -> Bool {
    if let frontier = frontiers[later] { return frontier.covers(earlier) }
    let frontier = try await writer.commit.frontier(of: later)
    frontiers[later] = frontier
    return frontier.covers(earlier)
  }

  /// Returns all versions of an entity from before this undo, greatest first.
  func history(of entity: EntityID) async throws -> [Version] {
    if let history = histories[entity] { return history }
    let history = try await writer.commit.history(of: entity, key: nil, limit: nil)
      .filter { $0.commit.time < writer.commit.time }
    histories[entity] = history
    return history
  }

  /// Returns the versions of an entity's life from before this undo, greatest first.
  func lives(of entity: EntityID) async throws -> [Version] {
    if let lives = histories[entity] ?? lifeVersions[entity] {
      return lives.filter { $0.content.key == nil }
    }
    let lives = try await writer.commit.lives(of: entity)
      .filter { $0.commit.time < writer.commit.time }
    lifeVersions[entity] = lives
    return lives
  }

  /// Returns the versions of a property from before this undo, greatest first. What precedes the
  /// commit and the changes by later ones is left out, but for the next version: nothing else can
  /// be restored.
  ///
  /// All versions are returned if several replicas wrote the property, because a conflict may lie
  /// far back, or if the entity was created anew, because those of its former life do not count.
  func history(of entity: EntityID, key: PropertyKey) async throws -> [Version] {
    let name = UndoReport.PropertyName(entity: entity, key: key)
    if let history = histories[entity] { return history.filter { $0.content.key == key } }
    if let history = propertyVersions[name] { return history }
    guard try await !lives(of: entity).contains(where: \.content.isRebirth),
      let count = try await writer.commit.cellCount(of: entity, key: key, writtenFrom: time)
    else {
      return try await history(of: entity).filter { $0.content.key == key }
    }
    let history = try await writer.commit.history(of: entity, key: key, limit: count)
      .filter { $0.commit.time < writer.commit.time }
    propertyVersions[name] = history
    return history
  }

  /// Returns the versions of a property, or of the life for nil, without those that were undone
  /// since.
  func standing(_ key: PropertyKey?, of entity: EntityID) async throws -> [Version] {
    let versions =
      if let key { try await history(of: entity, key: key) } else { try await lives(of: entity) }
    let lasting = Set(lasting(versions.map(\.commit)).map(\.id))
    return versions.filter { !isLater($0.commit) || lasting.contains($0.commit.id) }
  }

  /// Returns the later commit that re-created an entity, even if it was undone; nil if there is
  /// none.
  func rebirth(of entity: EntityID) async throws -> CommitSummary? {
    try await lives(of: entity).first { $0.content.isRebirth && isLater($0.commit) }?.commit
  }
}

extension UndoReport {
  /// The number of changes undone so far.
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
