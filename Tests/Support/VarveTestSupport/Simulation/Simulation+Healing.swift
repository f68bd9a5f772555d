import VarveCore
import VarveSync

extension Simulation {
  /// The maximum number of rounds of synchronising every pair until there is nothing left to send.
  private static let roundCount = 3
  /// More than the time by which any clock of a simulation is fast, in milliseconds.
  private static let anyDelay: Int64 = 3 * 366 * 86_400_000

  /// Ends all faults, and checks what must hold afterwards.
  func heal() async throws {
    for link in links { count(link) }
    links = []
    for log in faultedLogs.values { log.heal() }
    for store in stores {
      (store.skew, store.isFull, store.failure, store.followed) = (0, false, nil, 0)
    }
    // All commits that a fast clock stamped are due now.
    clock.advance(by: Self.anyDelay)
    try await settle()
    try await checkEquality()
    try await checkAcknowledged()
    try await checkVisibility()
    try await checkForgotten()
    try await checkFolded()
    try await checkFolder()
    try await checkStores()
  }

  /// Synchronises every pair until there is nothing left to send.
  private func settle() async throws {
    var lastSent = ""
    for round in 0..<Self.roundCount {
      var isQuiet = true
      for (index, one) in stores.enumerated() {
        for two in stores[(index + 1)...] {
          let reports = try await synchronize(one, two)
          let isPairQuiet = reports.allSatisfy {
            $0.sentCount == 0 && $0.completedCount == 0 && $0.isComplete
          }
          isQuiet = isQuiet && isPairQuiet
          if !isPairQuiet { lastSent = "stores \(one.number) and \(two.number): \(reports)" }
        }
      }
      if isQuiet { return }
      if round == Self.roundCount - 1 {
        throw SimulationFailure(
          "quiescence: stores still send after \(Self.roundCount) rounds; \(lastSent)"
        )
      }
    }
  }

  private func synchronize(
    _ one: SimulatedStore,
    _ two: SimulatedStore
  ) async throws -> [SyncReport] {
    var link = link(one, two)
    while let choice = link.choices.first { try await advance(&link, choice) }
    count(link)
    return try link.ends.map { end in
      guard let report = end.report else {
        throw SimulationFailure(
          "a synchronisation without faults fails: \(end.error?.description ?? "it stands still")"
        )
      }
      return report
    }
  }

  /// Checks that all stores equal each other and the fold of their commits.
  private func checkEquality() async throws {
    let ids = generator.ids + [Self.pair]
    let heads = try await stores[0].backend.frontier()
    let reference = ReferenceBackend(wallMilliseconds: clock.reading())
    try await reference.catchUp(with: stores[0].backend)
    let expected = try await CanonicalExport(of: reference, ids: ids)
    let conflicts = try await reference.conflicts()
    for store in stores {
      guard try await store.backend.frontier() == heads else {
        throw SimulationFailure("equality: store \(store.number) has other commits")
      }
      // Withheld commits take effect with the next transaction at the latest.
      _ = try await store.backend.append([])
      let actual = try await CanonicalExport(of: store.backend, ids: ids)
      if let difference = expected.firstDifference(from: actual) {
        let findings = try await store.backend.check { _ in }.findings
        throw SimulationFailure(
          "equality: store \(store.number) differs\n\(difference)\n  its check: \(findings)"
        )
      }
      let found = try await store.backend.conflicts()
      guard found == conflicts else {
        let differing = Set(found).symmetricDifference(conflicts).map(\.entity).sorted()
        let own = found.filter { differing.contains($0.entity) }
        let others = conflicts.filter { differing.contains($0.entity) }
        throw SimulationFailure(
          "conflicts: store \(store.number) lists others: \(differing)\n  \(own)\n  instead of \(others)"
        )
      }
    }
  }

  /// Checks that synchronising makes no commits, and that no acknowledged commit is lost.
  private func checkAcknowledged() async throws {
    for commit in try await stores[0].backend.commits(beyond: .empty, atMost: .max)
    where !written.contains(commit.id) {
      throw SimulationFailure("authorship: no store wrote commit \(commit.header.sequence)")
    }
    for store in stores {
      let held = try await store.backend.held(among: Array(acknowledged))
      guard held.count == acknowledged.count else {
        throw SimulationFailure(
          "durability: store \(store.number) lacks \(acknowledged.count - held.count) commits "
            + "that were acknowledged"
        )
      }
    }
  }

  /// Checks that two values that are only written together are only seen together (R21).
  func checkVisibility() async throws {
    for store in stores {
      let pair: StoredEntity?
      do {
        pair = try await store.backend.read(at: .now) { try await $0.entity(Self.pair) }
      } catch let error as VarveError where error.code == .historyAwaited {
        continue  // There is no present to be read yet.
      }
      guard pair?["left"] == pair?["right"] else {
        throw SimulationFailure("atomicity: store \(store.number) shows half a transaction")
      }
    }
  }

  /// Checks that a store with outlines has the same present as one with the whole commits.
  func checkOutlined() async throws {
    for store in stores {
      // To ask what is awaited would end a synchronisation whose outlines are still on their way.
      let outlines = try await store.backend.commits(beyond: .empty, atMost: .max)
      guard outlines.contains(where: \.isOutline),
        try await store.backend.withheldCommits().isEmpty
      else { continue }
      let actual: CanonicalExport
      do {
        actual = try await CanonicalExport(of: store.backend)
      } catch let error as VarveError where error.code == .historyAwaited {
        continue  // There is no present to be read yet.
      }
      let commits = outlines.compactMap { originals[$0.id] }
      guard commits.count == outlines.count else { continue }
      // The store withholds nothing, its own commits by a fast clock among them.
      let reference = ReferenceBackend(wallMilliseconds: clock.reading(skew: Self.anyDelay))
      _ = try await reference.append(commits)
      tally.outlinedCount += 1
      let expected = try await CanonicalExport(of: reference)
      if let difference = expected.firstDifference(from: actual) {
        throw SimulationFailure(
          "outlines: the present of store \(store.number) differs\n\(difference)"
        )
      }
    }
  }

  /// Checks that no store keeps or sends redacted cells (R24).
  private func checkForgotten() async throws {
    for store in stores {
      var named: [CommitID: RedactedCells] = [:]
      let commits = try await store.backend.commits(beyond: .empty, atMost: .max)
      for commit in commits {
        for redaction in try commit.redactions() {
          named[redaction.commit, default: RedactedCells()].add(redaction.parts)
        }
      }
      for commit in commits {
        guard let cells = named[commit.id], try commit.cells().contains(where: cells.names) else {
          continue
        }
        throw SimulationFailure("forgetting: store \(store.number) keeps redacted cells")
      }
    }
  }

  /// Checks that no compaction changed the present or a conflict (R26), by comparison with an
  /// archive that applied only the purges.
  private func checkFolded() async throws {
    // A purge names the remaining cells of an entity, so an archive cannot omit an earlier
    // compaction.
    guard plan.forgetting == .compacts else { return }
    let archive = ReferenceBackend(
      wallMilliseconds: clock.reading(),
      forgetting: { header in
        header.message != Self.mistake && (try? header.horizon) == nil
      }
    )
    let commits = try await stores[0].backend.commits(beyond: .empty, atMost: .max)
    _ = try await archive.append(commits.map { originals[$0.id] ?? $0 })
    let (expected, actual) = (
      try await CanonicalExport(of: archive), try await CanonicalExport(of: stores[0].backend)
    )
    if let difference = expected.firstDifference(from: actual) {
      throw SimulationFailure("folding: the present has changed\n\(difference)")
    }
    let conflicts = (
      try await archive.read(at: .now) { try await $0.valueConflicts() },
      try await stores[0].backend.read(at: .now) { try await $0.valueConflicts() }
    )
    guard conflicts.0 == conflicts.1 else {
      throw SimulationFailure("folding: conflicts have changed")
    }
  }

  private func checkStores() async throws {
    for store in stores {
      let findings = try await store.backend.check { _ in }.findings
      guard findings.isEmpty else {
        throw SimulationFailure("check: store \(store.number): \(findings)")
      }
      try await store.backend.close()
    }
  }
}
