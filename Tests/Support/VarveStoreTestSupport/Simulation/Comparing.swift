import Foundation
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

/// The commits of a store, and those of them that have not taken effect yet.
struct Arrivals: Hashable {
  let frontier: Frontier
  let withheld: Set<CommitID>
}

extension StoreSimulation {
  /// Compares all results of a copy with those it must equal.
  func compare(_ copy: Int, isThorough: Bool) async throws {
    let sessions = fleet.sessions.filter { $0.copy == copy }
    let frontier = try await sessions[0].store.frontier()
    let late = try await sessions[0].backend.withheldCommits()
    let withheld = Set(late.map(\.id))
    let arrivals = Arrivals(frontier: frontier, withheld: withheld)
    if !withheld.isEmpty { tally.withheldCount += 1 }
    if frontiers[copy]?.last != frontier { frontiers[copy, default: []].append(frontier) }
    // Blocks may have arrived without what a withheld redaction names (R24).
    let isExplained = !late.contains { $0.header.kind == .redactions }
    var known = isExplained ? portraits[arrivals] : nil
    for (number, session) in sessions.enumerated() {
      let portrait = try await portrait(of: session.store)
      if isExplained, known == nil { portraits[arrivals] = portrait }
      guard let first = known else {
        known = portrait
        continue
      }
      guard let difference = first.firstDifference(from: portrait) else { continue }
      try fail(
        number > 0 ? .sessions : .sameCommits,
        "copy \(copy), session \(number), has 2: \(difference)"
      )
    }
    try await compareFacts(sessions[0])
    try await compareWatches(of: copy)
    guard isThorough, let session = random.pick(sessions) as StoreFleet.Session? else { return }
    try await compareWithFold(session, withheld)
    try await compareWithOthers(session, withheld)
    if withheld.isEmpty { try await comparePast(session) }
    try await compareDifference(session)
    let report = try await session.store.check()
    if !report.isClean { try fail(.check, "\(report.findings.prefix(3))") }
  }

  private func portrait(of store: Store) async throws -> StorePortrait {
    tally.portraitCount += 1
    return try await StorePortrait(of: store, cast, queries: plan.seed)
  }

  /// Compares the present and the past with the fold of the commits that have taken effect.
  private func compareWithFold(
    _ session: StoreFleet.Session,
    _ withheld: Set<CommitID>
  ) async throws {
    let backend = ReferenceBackend(wallMilliseconds: { .max / 2 })
    let commits = try await session.backend.commits(beyond: .empty, atMost: .max)
    _ = try await backend.append(commits.filter { !withheld.contains($0.id) })
    let fold = Store(backend: backend)
    tally.foldedCount += 1
    let difference = try await StorePortrait.firstDifference(
      portrait(of: fold).lines(havingAll: withheld.isEmpty),
      portrait(of: session.store).lines(havingAll: withheld.isEmpty)
    )
    if let difference { try fail(.fold, "1 is the fold: \(difference)") }
    guard withheld.isEmpty else { return }
    for moment in try await moments(session) {
      let (one, two) = (
        await past(fold, moment), await past(session.store, moment)
      )
      guard let difference = StorePortrait.firstDifference(one, two) else { continue }
      try fail(.fold, "at \(Self.name(moment)), 1 is the fold: \(difference)")
    }
  }

  /// Returns the content of a store at a moment, or the error.
  private func past(_ store: Store, _ moment: Moment) async -> [String] {
    tally.pastCount += 1
    do {
      return try await StorePortrait(
        store.asOf(moment),
        cast,
        queries: plan.seed
      ).past
    } catch {
      return [(error as? VarveError)?.code.rawValue ?? "\(error)"]
    }
  }

  /// Compares a store with one that received the same commits in another order, and with itself
  /// after a rebuild.
  private func compareWithOthers(
    _ session: StoreFleet.Session,
    _ withheld: Set<CommitID>
  ) async throws {
    var configuration = SQLiteBackend.Configuration()
    // A day later every commit is due, because clocks jump by less.
    configuration.wallMilliseconds = fleet.clock.reading(skew: 86_400_000)
    configuration.touchCapacity = random.pick([3, 16_384])
    let backend = try await SQLiteBackend.open(.inMemory, configuration: configuration)
    for part in try await arrivals(of: session.backend, but: withheld) {
      _ = try await backend.append(part)
    }
    let other = Store(backend: backend)
    let own = try await portrait(of: session.store).lines(havingAll: withheld.isEmpty)
    for place in ["in another order", "rebuilt"] {
      if place == "rebuilt" { try await other.rebuild() }
      let lines = try await portrait(of: other).lines(havingAll: withheld.isEmpty)
      if let difference = StorePortrait.firstDifference(own, lines) {
        try fail(.order, "2 is \(place): \(difference)")
      }
      let report = try await other.check()
      if !report.isClean {
        try fail(.check, "\(place): \(report.findings.prefix(3))")
      }
    }
    try await other.close()
  }

  /// Returns all commits in a random causal order, in portions.
  private func arrivals(
    of backend: any Backend,
    but withheld: Set<CommitID>
  ) async throws -> [[Commit]] {
    var waiting = try await backend.commits(beyond: .empty, atMost: .max)
      .filter { !withheld.contains($0.id) }
    var there: Set<ContentDigest> = [.zero]
    var parts: [[Commit]] = []
    while !waiting.isEmpty {
      var part: [Commit] = []
      for _ in 0..<random.pick([1, 1, 2, 5]) {
        let ready = waiting.indices.filter { index in
          let header = waiting[index].header
          return there.contains(header.previous)
            && header.dependencies.allSatisfy { there.contains($0.hash) }
        }
        guard !ready.isEmpty else { break }
        let commit = waiting.remove(at: random.pick(ready))
        there.insert(commit.id.hash)
        part.append(commit)
      }
      parts.append(part)
    }
    return parts
  }

  /// Returns frontiers that the copy had, and times.
  private func moments(_ session: StoreFleet.Session) async throws -> [Moment] {
    let dates = try [random.pick(cast.dates), random.pick(cast.dates)].map {
      Moment.time(try HybridTime($0))
    }
    let log = try await session.store.log()
    let times = log.isEmpty ? [] : [Moment.time(random.pick(log).time)]
    return dates + times + [.frontier(random.pick(frontiers[session.copy] ?? [.empty]))]
  }

  /// Compares the state of a frontier with the present when it was current.
  private func comparePast(_ session: StoreFleet.Session) async throws {
    guard !plan.habits.forgets else { return }
    for _ in 0..<2 {
      let frontier = random.pick(frontiers[session.copy] ?? [.empty])
      let arrivals = Arrivals(frontier: frontier, withheld: [])
      guard let known = portraits[arrivals]?.past else { continue }
      let now = await past(session.store, .frontier(frontier))
      guard let difference = StorePortrait.firstDifference(known, now) else { continue }
      try fail(.past, "1 is the present at the time, 2 the frontier: \(difference)")
    }
  }

  /// Checks that a difference between two states, applied to the first, gives the second.
  private func compareDifference(_ session: StoreFleet.Session) async throws {
    let moments = try await moments(session) + [.now]
    for _ in 0..<2 {
      let (old, new) = (random.pick(moments), random.pick(moments))
      do {
        let difference = try await session.store.diff(from: old, to: new)
        tally.differenceCount += 1
        let before = try await StoreShape(
          session.store.asOf(old),
          cast,
          keepsDead: true
        )
        let after = try await StoreShape(
          session.store.asOf(new),
          cast,
          keepsDead: true
        )
        let applied = before.applying(difference, among: Set(cast.all)).unordered
        guard let found = after.unordered.firstDifference(from: applied) else { continue }
        try fail(
          .difference,
          "from \(Self.name(old)) to \(Self.name(new)), 2 is the first with the difference: \(found)"
        )
      } catch let error as VarveError where error.code == .compacted {}
    }
  }

  /// Checks that an edge and its reference agree, as the same fact, and an owner with what it owns.
  private func compareFacts(_ session: StoreFleet.Session) async throws {
    guard plan.habits.contains(.saves) else { return }
    let problem = try await session.store.read { snapshot -> String? in
      for id in cast.caps {
        guard let cap = try await snapshot.entity(id), cap.type == "caps" else { continue }
        let owners = try await snapshot.relatedIDs(id, .ownedBy, named: "caps")
        guard case .reference(let stall)? = cap["stall"] else {
          if owners.isEmpty { continue }
          return "\(id) names no stall and is owned by \(owners)"
        }
        guard case .live = try await snapshot.status(of: stall) else { continue }
        if owners != [stall] { return "\(id) names \(stall) and is owned by \(owners)" }
      }
      return nil
    }
    if let problem { try fail(.twoFacts, problem) }
  }

  private static func name(_ moment: Moment) -> String {
    switch moment {
    case .now: "now"
    case .time(let time): Text.of(time)
    case .frontier(let frontier):
      "frontier "
        + frontier.heads.map { "\($0.replica.text.prefix(8))#\($0.sequence)" }
        .joined(separator: " ")
    }
  }
}
