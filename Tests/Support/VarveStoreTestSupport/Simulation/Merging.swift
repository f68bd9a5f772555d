import VarveCore
import VarveStore

extension StoreSimulation {
  /// Merges the commits of one session into another. Returns the copies that changed.
  func merge(from: Int, into: Int, percent: Int) async throws -> [Int] {
    let (source, target) = (fleet.sessions[from], fleet.sessions[into])
    guard source.copy != target.copy else { return [] }
    tally.mergeCount += 1
    written[target.copy] = nil
    if percent == 100 {
      try await target.store.merge(from: source.store)
      try await demandAll(of: source, in: target)
    } else {
      let missing = try await source.backend.commits(
        beyond: target.backend.frontier(),
        atMost: .max
      )
      _ = try await target.backend.append(try part(percent, of: missing))
    }
    return [target.copy]
  }

  /// Returns a prefix of commits in order of stamp, which is causally closed; all of them if
  /// redactions beyond it have emptied commits in it, because the same commits would then give
  /// different states.
  private func part(_ percent: Int, of commits: [Commit]) throws -> [Commit] {
    let count = (commits.count * percent + 99) / 100
    let redacted = Set(try commits.dropFirst(count).flatMap { try $0.redactions().map(\.commit) })
    let isExplained = commits.prefix(count).allSatisfy { !redacted.contains($0.id) }
    return isExplained ? Array(commits.prefix(count)) : commits
  }

  /// Synchronises two sessions. Returns the copies that changed.
  func sync(_ one: Int, _ two: Int) async throws -> [Int] {
    let (first, second) = (fleet.sessions[one], fleet.sessions[two])
    guard first.copy != second.copy else { return [] }
    tally.mergeCount += 1
    (written[first.copy], written[second.copy]) = (nil, nil)
    try await first.store.sync(with: second.store)
    try await demandAll(of: first, in: second)
    try await demandAll(of: second, in: first)
    return [first.copy, second.copy]
  }

  private func demandAll(
    of source: StoreFleet.Session,
    in target: StoreFleet.Session
  ) async throws {
    let heads = try await source.backend.frontier().heads
    let held = try await target.backend.held(among: heads)
    guard held.count < heads.count else { return }
    try fail(.merge, "\(heads.count - held.count) heads were not merged")
  }
}
