import VarveCore
import VarveStore
import VarveTestSupport

/// The subscriptions of one session.
final class SessionWatch {
  /// A live query and its last result.
  struct Live {
    let query: Query
    var results: LiveQuery<[StoredEntity]>.Iterator
    var last: [Seen] = []
  }

  /// The part of an entity that a reader of a result sees.
  struct Seen: Hashable {
    let id: EntityID
    let datestamp: HybridTime
    let modified: HybridTime
    let properties: [PropertyKey: StoredEntity.Property]

    init(_ entity: StoredEntity) {
      id = entity.id
      datestamp = entity.datestamp
      modified = entity.modified
      properties = entity.properties
    }
  }

  let changes: ChangeSequence
  /// The state that the subscriber has received.
  var shape: StoreShape
  var lives: [Live] = []

  init(_ changes: ChangeSequence, _ shape: StoreShape) {
    self.changes = changes
    self.shape = shape
  }
}

extension StoreSimulation {
  /// Checks, for every session of a copy, that its subscribers received what changed, and that live
  /// queries have the results of fetches.
  func compareWatches(of copy: Int) async throws {
    guard plan.habits.contains(.watches) else { return }
    for index in fleet.sessions.indices where fleet.sessions[index].copy == copy {
      let store = fleet.sessions[index].store
      guard let watch = watches[index] else {
        watches[index] = try await watch(store, UInt64(index))
        continue
      }
      try await store.reportNews()
      var sets: [ChangeSet] = []
      while let set = watch.changes.poll() { sets.append(set) }
      let shape = try await StoreShape(store.asOf(Moment.now), cast)
      tally.watchedCount += sets.count
      if let problem = problem(with: sets, from: watch.shape, to: shape) {
        try fail(.watching, "session \(index): \(problem)")
      }
      try compareJoined(sets, from: watch.shape, to: shape)
      watch.shape = shape
      for place in watch.lives.indices { try await compare(place, of: watch, sets, store) }
    }
  }

  /// Checks what a subscriber receives who did not keep up.
  private func compareJoined(
    _ sets: [ChangeSet],
    from old: StoreShape,
    to new: StoreShape
  ) throws {
    guard sets.count > 1 else { return }
    let joined = sets.dropFirst().reduce(sets[0]) { $0.joined(with: $1) }
    if let problem = problem(with: [joined], from: old, to: new) {
      try fail(.watching, "joined: \(problem)")
    }
  }

  private func watch(_ store: Store, _ number: UInt64) async throws -> SessionWatch {
    let watch = SessionWatch(
      try await store.changes(),
      try await StoreShape(store.asOf(Moment.now), cast)
    )
    var random = SplitMix64(seed: plan.seed ^ number)
    for _ in 0..<2 {
      let query = random.query(cast.generator)
      var live = SessionWatch.Live(
        query: query,
        results: try await store.observe(query).makeAsyncIterator()
      )
      live.last = seen(try await live.results.next() ?? [])
      watch.lives.append(live)
    }
    return watch
  }

  private func seen(_ entities: [StoredEntity]) -> [SessionWatch.Seen] {
    entities.map(SessionWatch.Seen.init)
  }

  private func compare(
    _ place: Int,
    of watch: SessionWatch,
    _ sets: [ChangeSet],
    _ store: Store
  ) async throws {
    var live = watch.lives[place]
    let types = live.query.types
    let isTold = sets.contains { set in types.map { !set.types.isDisjoint(with: $0) } ?? true }
    if isTold { live.last = seen(try await live.results.next() ?? []) }
    watch.lives[place] = live
    let fresh = seen(try await store.fetch(live.query))
    guard live.last != fresh else { return }
    try fail(
      .watching,
      "a live query, \(isTold ? "run again" : "not run again"), has \(live.last.map(\.id)), a fetch "
        + "\(fresh.map(\.id)): \(live.query)"
    )
  }

  /// Returns the first error in the changes between two states, or nil.
  private func problem(
    with sets: [ChangeSet],
    from old: StoreShape,
    to new: StoreShape
  ) -> String? {
    var lives = Set(old.figures.keys)
    var touched: Set<EntityID> = []
    var keys: [EntityID: Set<PropertyKey>] = [:]
    var types: Set<EntityType> = []
    for set in sets {
      for id in set.added + set.erased + set.changed { touched.insert(id) }
      lives.formUnion(set.added)
      lives.subtract(set.erased)
      for (id, some) in set.keysByEntity { keys[id, default: []].formUnion(some) }
      types.formUnion(set.types)
    }
    // An unknown identifier in a relation may be erased in between, in one commit.
    var turned = Set(cast.all.filter { old.figures[$0] == nil || new.figures[$0] == nil })
    // Imports give entities identifiers that the cast does not know.
    turned.formUnion(lives.union(touched).subtracting(cast.all))
    for id in cast.all {
      // A relation to an entity that came to life or died is not a change of its own.
      let before = old.figures[id]?.leaving(out: turned)
      let after = new.figures[id]?.leaving(out: turned)
      if lives.contains(id) != (after != nil) {
        return "\(id) is \(after == nil ? "not live" : "live"), not as \(sets)"
      }
      guard before != after else { continue }
      if !touched.contains(id) { return "\(id) changed, and is not in \(sets)" }
      for type in [before?.type, after?.type] {
        if let type, !types.contains(type) { return "\(type) of \(id) is not in \(sets)" }
      }
      guard let before, let after, !isReplaced(id, in: sets) else { continue }
      // Nothing is left of what another store's purge took.
      let isPurged = purged.contains(id) && sets.contains { $0.origin != .local }
      let lasting = Set((isPurged ? after : before).properties.keys)
      for key in lasting.union(after.properties.keys)
      where before.properties[key] != after.properties[key] && keys[id]?.contains(key) != true {
        return "\(id).\(key) changed, and is not in \(sets)"
      }
    }
    return nil
  }

  /// Returns whether an entity came to life or died in between, so that its keys are not listed.
  private func isReplaced(_ id: EntityID, in sets: [ChangeSet]) -> Bool {
    sets.contains { $0.added.contains(id) || $0.erased.contains(id) }
  }
}

extension StoreShape.Figure {
  /// Returns the figure without its relations to some entities.
  fileprivate func leaving(out ids: Set<EntityID>) -> Self {
    var figure = self
    figure.related = related.mapValues { $0.filter { !ids.contains($0) } }
      .filter { !$0.value.isEmpty }
    figure.collections = collections.mapValues { $0.filter { !ids.contains($0) } }
    return figure
  }
}
