import Synchronization
import VarveCore
import VarveSync

/// A log with a planted fault, as one other store sees it.
final class FaultedLog: CommitLogDecorator {
  let base: any CommitLog
  private let fault: PlantedFault
  private let store: SimulatedStore
  private let clock: TestClock
  private let random: Mutex<SplitMix64>
  private let handedOut = Mutex<Set<CommitID>>([])
  private let isHealed = Mutex(false)

  init(
    _ log: any CommitLog,
    _ fault: PlantedFault,
    _ store: SimulatedStore,
    _ clock: TestClock,
    seed: UInt64
  ) {
    base = log
    self.fault = fault
    self.store = store
    self.clock = clock
    random = Mutex(SplitMix64(seed: seed))
  }

  /// Ends all interruptions.
  func heal() { isHealed.withLock { $0 = true } }

  func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    guard fault == .hashesIgnored else { return try await base.held(among: ids) }
    let heads = try await base.frontier().heads
    return Set(
      ids.filter { id in
        heads.contains { $0.replica == id.replica && $0.sequence >= id.sequence }
      }
    )
  }

  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    outline: Horizon?
  ) async throws -> [LogItem] {
    let items = try await base.items(
      beyond: frontier,
      atMost: byteCount,
      wholeUpTo: wholeByteCount,
      outline: outline
    )
    switch fault {
    case .lostAcknowledgements:
      return items.filter { item in handedOut.withLock { $0.insert(item.id).inserted } }
    case .tombstonesPruned:
      let now = clock.now
      return items.filter { item in
        guard case .commit(let commit) = item, let cells = try? commit.cells() else { return true }
        let isOld = commit.header.time.millisecondsSince1970 < now - 3_600_000
        return !isOld || !cells.contains { $0.content == .life(.erased) }
      }
    case .valuesChanged: return items.map(changed)
    case .outlinesTooThin: return try outline == nil ? items : items.map(thinned)
    case .cursorByTime:
      let seen = try await times(of: frontier)
      return items.filter { item in
        guard case .commit(let commit) = item, let seen else { return true }
        return commit.header.time > seen
      }
    default: return items
    }
  }

  func awaited(from place: Int64, atMost count: Int) async throws -> AwaitedCommits {
    guard fault != .outlinesTakenForWhole else { return AwaitedCommits() }
    return try await base.awaited(from: place, atMost: count)
  }

  /// Returns the greatest stamp of some commits.
  private func times(of frontier: Frontier) async throws -> HybridTime? {
    let heads = Set(frontier.heads)
    let all = try await base.items(beyond: .empty, atMost: .max, wholeUpTo: .max, outline: nil)
    return all.compactMap { item -> HybridTime? in
      guard case .commit(let commit) = item, heads.contains(commit.id) else { return nil }
      return commit.header.time
    }.max()
  }

  private func thinned(_ item: LogItem) throws -> LogItem {
    guard case .commit(let commit) = item else { return item }
    let cells = try commit.cells().compactMap { cell in
      cell.content.forgettableKey.map {
        Redaction.Part(key: $0, ordinals: OrdinalSet([cell.ordinal]))
      }
    }
    return .commit(try commit.outlined(without: RedactedCells(cells)))
  }

  private func changed(_ item: LogItem) -> LogItem {
    guard case .commit(let commit) = item, let block = commit.blocks.first,
      random.withLock({ $0.chance(10) })
    else { return item }
    var stored = block.stored
    stored[stored.count - 1] ^= 1
    let other = Block(salt: block.salt, digest: block.digest, stored: stored)
    return .commit(Commit(header: commit.header, blocks: [other] + commit.blocks.dropFirst()))
  }

  func append(_ commits: [Commit], outline: Horizon?) async throws -> AppendReport {
    switch fault {
    case .clockFollows:
      let latest = commits.map(\.header.time.millisecondsSince1970).max() ?? 0
      store.followed = max(store.followed, latest - clock.now - store.skew)
      return try await base.append(commits, outline: outline)
    case .noTieBreak: return try await base.append(try await withoutTies(commits), outline: outline)
    case .cascades: return try await cascading(commits, outline)
    case .tornTransactions: return try await tearing(commits, outline)
    case .uniqueNames:
      try await refuseTwins(commits)
      return try await base.append(commits, outline: outline)
    default: return try await base.append(commits, outline: outline)
    }
  }

  private func withoutTies(_ commits: [Commit]) async throws -> [Commit] {
    let all = try await base.items(beyond: .empty, atMost: .max, wholeUpTo: .max, outline: nil)
    let times = Set(
      all.compactMap { item -> HybridTime? in
        guard case .commit(let commit) = item else { return nil }
        return commit.header.time
      }
    )
    return commits.filter { !times.contains($0.header.time) }
  }

  private func cascading(_ commits: [Commit], _ outline: Horizon?) async throws -> AppendReport {
    let report = try await base.append(commits, outline: outline)
    _ = try await store.backend.write(WriteRequest()) { writer in
      for id in report.died {
        _ = try await writer.apply(.life(.erased), to: id, time: nil)
      }
    }
    return report
  }

  private func tearing(_ commits: [Commit], _ outline: Horizon?) async throws -> AppendReport {
    guard let commit = commits.last, !isHealed.withLock({ $0 }),
      random.withLock({ $0.chance(20) }),
      let cell = try commit.cells().first(where: { $0.content.value != nil })
    else { return try await base.append(commits, outline: outline) }
    _ = try await base.append(commits.dropLast(), outline: outline)
    _ = try await store.backend.write(WriteRequest()) { writer in
      _ = try await writer.apply(cell.content, to: cell.entity, time: nil)
    }
    throw VarveError(.inputOutput, "interrupted")
  }

  private func refuseTwins(_ commits: [Commit]) async throws {
    for commit in commits {
      for cell in try commit.cells() {
        guard case .value("name", let value, _) = cell.content else { continue }
        let twins = try await store.backend.read(at: .now) { reader in
          var count = 0
          for (type, _) in try await reader.types() {
            for entity in try await reader.fetch(Query(type))
            where entity.id != cell.entity && entity["name"] == value { count += 1 }
          }
          return count
        }
        if twins > 0 { throw VarveError(.duplicateIdentifier, "there is one of that name") }
      }
    }
  }
}
