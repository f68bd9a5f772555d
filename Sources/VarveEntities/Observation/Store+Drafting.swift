import VarveCore

/// Finds out what commits changed.
extension Store {
  /// Returns the changes of a commit, between the states before and after it.
  ///
  /// - Parameter own: the replica that had seen the state before each of its commits.
  func changes(
    of commit: Commit,
    _ origin: ChangeSet.Origin,
    from before: Frontier,
    to after: Frontier,
    _ own: ReplicaID?
  ) async throws -> ChangeSet {
    var isPlain = commit.header.replica == own
    var cells: [Cell] = []
    try commit.forEachContent { content, _ in
      for section in content.sections {
        cells += section.cells
        // A creation outside a table may be one of a known entity.
        if case .cells(let cells) = section, !cells.allSatisfy(\.turnsNobody) { isPlain = false }
      }
    }
    let draft =
      isPlain
      ? try await draft(of: cells) : try await draft(from: before, to: after, by: [commit])
    return draft.changes(origin, .write, CommitSummary(commit.header, id: commit.id))
  }

  /// Returns the changes by cells of a commit that was written here and turned no entity.
  private func draft(of cells: [Cell]) async throws -> ChangeDraft {
    try await backend.read(at: .now) { reader in
      let tracker = ChangeTracker()
      for cell in cells { tracker.applied(cell.content, to: cell.entity, .none) }
      return try await tracker.changes(reader)
    }
  }

  /// Returns the difference between two states of which the second has some more commits.
  func draft(
    from before: Frontier,
    to after: Frontier,
    by commits: [Commit]
  ) async throws -> ChangeDraft {
    try refuseInsideOwnWrite("diff")
    do {
      return try await draft(from: before, to: after, by: commits, livesOnly: false)
    } catch let error as VarveError
      where error.code == .compacted || error.code == .historyAwaited
    {
      // History was folded in between, or is still to come.
      return try await draft(from: before, to: after, by: commits, livesOnly: true)
    }
  }

  /// Returns the difference between two states of which the second has some more commits.
  ///
  /// - Parameter livesOnly: whether the states may lie before a horizon. What is not folded is then
  ///   compared. A folded value was replaced by one that stays, so a property that differs without
  ///   being among that is named by one of the commits, and all those are included.
  private func draft(
    from before: Frontier,
    to after: Frontier,
    by commits: [Commit],
    livesOnly: Bool
  ) async throws -> ChangeDraft {
    let comparison = try await comparison(
      from: .frontier(before),
      to: .frontier(after),
      by: commits,
      livesOnly: livesOnly
    )
    let reborn = try await reading(.frontier(before), livesOnly) { state in
      var reborn: [EntityID] = []
      for entity in comparison.difference.added where try await state.isDead(entity.id) {
        reborn.append(entity.id)
      }
      return reborn
    }
    let draft = ChangeDraft(comparison, reborn: reborn)
    let written = livesOnly ? try WrittenContent(of: commits) : WrittenContent()
    let purged = try purged(by: commits)
    let targets = comparison.difference.ownedTargets
    guard !reborn.isEmpty || !targets.isEmpty || !purged.isEmpty || !written.isEmpty else {
      return draft
    }
    return try await reading(.frontier(after), livesOnly) { [draft] state in
      var draft = draft
      for id in reborn { try await draft.addFormerKeys(of: id, state) }
      // An ownership is a change of both ends.
      for id in targets + purged + written.entities {
        guard case .live(let type) = try await state.status(of: id) else { continue }
        draft.tally.change(id)
        draft.types.insert(type)
      }
      for id in written.entities where draft.tally.isLive(id) {
        for key in written.keys[id] ?? [] { draft.tally.change(id, key) }
      }
      // No past state has what they lost. Of purged values nothing is left but, perhaps, others
      // that they had replaced.
      for id in purged + written.turned where draft.tally.isLive(id) {
        try await draft.addFormerKeys(of: id, state)
      }
      return draft
    }
  }

  /// Returns the entities that commits purged.
  private func purged(by commits: [Commit]) throws -> [EntityID] {
    try commits.filter { $0.header.kind == .redactions }
      .flatMap { try $0.cells() }
      .filter { $0.content == .life(.erased) }
      .map(\.entity)
  }
}

/// The entities that some cells are about, and the properties that they name.
private struct WrittenContent {
  private(set) var entities: [EntityID] = []
  private(set) var keys: [EntityID: Set<PropertyKey>] = [:]
  /// The entities whose lives were changed.
  private(set) var turned: [EntityID] = []

  init() {}

  init(of commits: [Commit]) throws {
    for commit in commits {
      for cell in try commit.cells() { add(cell) }
    }
  }

  var isEmpty: Bool { entities.isEmpty }

  private mutating func add(_ cell: Cell) {
    if keys[cell.entity] == nil {
      entities.append(cell.entity)
      keys[cell.entity] = []
    }
    switch cell.content {
    case .life: turned.append(cell.entity)
    case .value(let key, _, _), .removal(let key), .collection(let key):
      keys[cell.entity]?.insert(key)
    case .add(let relation, _, _, _), .remove(let relation, _, _):
      if relation.kind == .member { keys[cell.entity]?.insert(relation.name) }
    }
  }
}

extension ChangeDraft {
  /// The changes that a comparison shows.
  ///
  /// - Parameter reborn: the added entities that were dead before.
  fileprivate init(_ comparison: StateComparison, reborn: [EntityID]) {
    let difference = comparison.difference
    for id in reborn { tally.meet(id, isLive: false, wasDead: true) }
    for entity in difference.added { tally.live(entity.id) }
    for entity in difference.ended { tally.die(entity.id) }
    for entity in difference.changed {
      tally.change(entity.id)
      for property in entity.properties { tally.change(entity.id, property.key) }
      for collection in entity.collections { tally.change(entity.id, collection.key) }
      if let type = entity.formerType { types.insert(type) }
    }
    for entity in comparison.moved {
      tally.change(entity.id)
      types.insert(entity.type)
    }
    types.formUnion((difference.added + difference.ended + difference.changed).map(\.type))
  }
}

extension Difference {
  /// The targets of the ownerships that differ.
  fileprivate var ownedTargets: [EntityID] {
    (added + changed).flatMap { entity in
      (entity.related + entity.unrelated).filter { $0.relation.kind == .owns }.map(\.target)
    }
  }
}

extension Cell {
  /// Whether the cell can change the liveness of no entity.
  fileprivate var turnsNobody: Bool {
    switch content {
    case .value, .removal, .collection: true
    case .life: false
    case .add(let relation, _, _, _), .remove(let relation, _, _): relation.kind != .owns
    }
  }
}
