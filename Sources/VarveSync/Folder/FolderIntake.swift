import Foundation
import VarveCore

/// Imports the commits of a folder into the log.
struct FolderIntake {
  private let folder: SyncFolder
  private let log: any CommitLog
  private let limits: SyncLimits
  private var performer: SyncPerformer
  private(set) var report: SyncReport
  private(set) var progress = SyncProgress()
  /// Segments whose next commit waits for another, by the commit they wait for.
  private var waiting: [CommitID: [(reader: SegmentReader, left: Int)]] = [:]
  /// The number of commits that wait for one that cannot be added, by that commit.
  private var leftOut: [CommitID: Int] = [:]
  /// The files that have their length and other bytes.
  private var damaged: [SegmentName] = []
  /// Whether a listed file has disappeared.
  private var hasVanished = false
  private var batch: [Commit] = []
  private var batchIDs: Set<CommitID> = []
  private var batchByteCount = 0

  /// - Parameter report: what was found before the commits.
  init(
    _ folder: SyncFolder,
    _ log: any CommitLog,
    _ limits: SyncLimits,
    _ report: SyncReport
  ) {
    self.folder = folder
    self.log = log
    self.report = report
    self.limits = limits
    performer = SyncPerformer(log, limits: limits)
  }

  mutating func run(_ progressed: (SyncProgress) -> Void) async throws {
    // Another store may join segments meanwhile: the commits of a segment that has disappeared are
    // in one that was not listed yet.
    var incomplete: [SegmentName]?
    for _ in 0..<Self.roundCount where incomplete == nil {
      incomplete = try await takeOver(progressed)
    }
    try await finish(incomplete ?? [])
    progressed(progress)
  }

  /// The maximum number of times that the folder is listed if files disappear while it is read.
  private static let roundCount = 4

  /// Adds the commits in the listed files. Returns the incomplete files, or nil if a file had
  /// disappeared.
  private mutating func takeOver(_ progressed: (SyncProgress) -> Void) async throws
    -> [SegmentName]?
  {
    let listing = try folder.listing()
    var incomplete = listing.incomplete
    (hasVanished, waiting, leftOut, damaged) = (false, [:], [:], [])
    let held = try await log.held(among: listing.segments.map(\.head))
    let partial = try await log.awaited(from: 0, atMost: .max).ranges
    func hasMore(_ name: SegmentName) -> Bool {
      partial.contains { name.overlaps($0) }
    }
    let wanted = listing.segments.filter { !held.contains($0.head) || hasMore($0) }
    progress.toReceiveCount = wanted.reduce(0) { $0 + $1.count }
    for name in wanted {
      try Task.checkCancellation()
      // Another segment may have brought the same commits meanwhile.
      if try await isHere(name.head), !hasMore(name) { continue }
      let reader = SegmentReader(name, in: folder.url)
      let condition = try reader.condition()
      guard condition == .whole else {
        guard reader.isThere else {
          hasVanished = true
          continue
        }
        if condition == .damaged { damaged.append(name) } else { incomplete.append(name) }
        folder.mark(name, isDamaged: true)
        continue
      }
      if listing.damaged.contains(name.text) { folder.mark(name, isDamaged: false) }
      try await takeOver(reader, name.count)
      if batchByteCount >= limits.append { try await flush() }
      progressed(progress)
    }
    while !batch.isEmpty { try await flush() }
    return hasVanished ? nil : incomplete
  }

  private mutating func finish(_ incomplete: [SegmentName]) async throws {
    // Commits that another segment brought are not missing.
    let here = try await log.held(among: (incomplete + damaged).map(\.head))
    report.incompleteFiles += incomplete.filter { !here.contains($0.head) }.map(\.text).sorted()
    for name in damaged.sorted() where !here.contains(name.head) {
      let error = VarveError(
        .damaged,
        "a file of the folder is damaged",
        at: folder.url.appendingPathComponent(name.text).path,
        remedy: "Synchronise a store that has its commits with the folder, which writes it again."
      )
      report.parked.append(Parked(commit: name.head, error: error))
    }
    for (needed, segments) in waiting {
      leftOut[needed, default: 0] += segments.reduce(0) { $0 + $1.left }
    }
    report.waiting = leftOut.sorted { $0.key < $1.key }
      .map { Waiting(needed: $0.key, commitCount: $0.value) }
  }

  private func isHere(_ id: CommitID) async throws -> Bool {
    if batchIDs.contains(id) { return true }
    return try await log.held(among: [id]).contains(id)
  }

  /// Adds the commits of a segment up to the first that depends on a missing one.
  private mutating func takeOver(_ reader: SegmentReader, _ count: Int) async throws {
    var (reader, left) = (reader, count)
    do {
      while let head = try reader.peek() {
        if let needed = try await missing(for: head) {
          reader.rest()
          waiting[needed, default: []].append((reader, left))
          return
        }
        try await take(head, &reader)
        reader.pass()
        left -= 1
        if batchByteCount >= limits.append { try await flush() }
      }
    } catch  where !reader.isThere {
      hasVanished = true
    } catch let error as VarveError where [.damaged, .newerFormat].contains(error.code) {
      let id = try? reader.peek()?.id
      report.parked.append(Parked(commit: id ?? .unknown, error: error))
    }
  }

  private func missing(for commit: Commit) async throws -> CommitID? {
    let needed = commit.needed.filter { !batchIDs.contains($0) }
    let held = try await log.held(among: needed)
    return needed.first { !held.contains($0) }
  }

  /// Adds one commit: to the batch, or separately if it is large.
  private mutating func take(_ head: Commit, _ reader: inout SegmentReader) async throws {
    var blocks: [Block] = []
    var byteCount = head.headerBytes.count
    var index = 1
    while case .block(let block)? = try reader.takePart(index) {
      index += 1
      blocks.append(block)
      byteCount += block.byteCount
      guard byteCount <= limits.whole else {
        return try await takeLarge(head, blocks, index, &reader)
      }
    }
    batch.append(head.with(blocks))
    batchIDs.insert(head.id)
    batchByteCount += byteCount
  }

  private mutating func takeLarge(
    _ head: Commit,
    _ blocks: [Block],
    _ index: Int,
    _ reader: inout SegmentReader
  ) async throws {
    try await flush()
    _ = try await performer.perform(.stage(.header(head.header)))
    for block in blocks { _ = try await performer.perform(.stage(.block(block))) }
    var index = index
    while let part = try reader.takePart(index) {
      _ = try await performer.perform(.stage(part))
      index += 1
    }
    try await count(try await performer.perform(.appendStaged))
  }

  private mutating func flush() async throws {
    let commits = batch
    (batch, batchIDs, batchByteCount) = ([], [], 0)
    guard !commits.isEmpty else { return }
    try await count(try await performer.perform(.append(commits)))
  }

  /// Records the outcome for commits, and continues with the segments that waited for them.
  private mutating func count(_ event: SyncEvent?) async throws {
    guard case .appended(let outcome)? = event else { return }
    progress.receivedCount += outcome.kept.count
    report.add(outcome.report)
    report.parked += outcome.parked
    for (_, needed) in outcome.waiting { leftOut[needed, default: 0] += 1 }
    for kept in outcome.kept {
      for (reader, left) in waiting.removeValue(forKey: kept.id) ?? [] {
        try await takeOver(reader, left)
      }
    }
  }
}

extension SegmentName {
  /// The number of commits in the segment.
  var count: Int { Int(head.sequence - first + 1) }

  /// Returns whether the segment may hold commits in a range.
  func overlaps(_ range: CommitRange) -> Bool {
    range.last.replica == head.replica && range.sequences.overlaps(first...head.sequence)
  }
}

extension CommitID {
  /// Stands for a commit of which not even the name could be read.
  static let unknown = CommitID(replica: ReplicaID(high: 0, low: 0), sequence: 1, hash: .zero)
}
