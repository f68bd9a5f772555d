import Foundation
import VarveCore

/// Exports the commits a folder lacks.
struct FolderOutput {
  private let folder: SyncFolder
  private let log: any CommitLog
  private let limits: SyncLimits
  private(set) var report: SyncReport
  private var progress: SyncProgress
  private var outgoing = OutgoingCommits()

  init(
    _ folder: SyncFolder,
    _ log: any CommitLog,
    _ limits: SyncLimits,
    _ report: SyncReport,
    _ progress: SyncProgress
  ) {
    self.folder = folder
    self.log = log
    self.limits = limits
    self.report = report
    self.progress = progress
  }

  mutating func run(_ listing: FolderListing, _ progressed: (SyncProgress) -> Void) async throws {
    outgoing = OutgoingCommits(cover: try await covered(by: listing))
    progress.toSendCount = try await log.commitCount(beyond: outgoing.cover.frontier)
    while true {
      try Task.checkCancellation()
      let items = try await log.items(
        beyond: outgoing.cover.frontier,
        atMost: limits.window,
        wholeUpTo: limits.whole,
        outline: nil
      )
      guard try await write(items) else { return }
      progress.sentCount = report.sentCount
      progressed(progress)
    }
  }

  /// Returns what complete files hold of each chain, without a gap from its beginning.
  private func covered(by listing: FolderListing) async throws -> CommitCover {
    let whole = listing.segments.filter { !listing.damaged.contains($0.text) }
    var cover = CommitCover()
    for head in try await log.frontier().heads {
      let segments = whole.filter { $0.head.replica == head.replica }
      let lasts = segments.map(\.head.sequence)
      let known = Set(try await log.predecessors(of: head, at: lasts))
      var end: CommitID?
      for segment in segments.sorted() where known.contains(segment.head) {
        guard segment.first <= (end?.sequence ?? 0) + 1 else { break }
        if segment.head.sequence > end?.sequence ?? 0 { end = segment.head }
      }
      if let end { cover.insert(end) }
    }
    return cover
  }

  /// Writes commits as segments, one for each run of a chain. Returns whether there were any.
  private mutating func write(_ items: [LogItem]) async throws -> Bool {
    var runs: [[Commit]] = []
    var runOfTail: [CommitID: Int] = [:]
    var isNew = false
    for item in items {
      guard let decision = outgoing.decide(item, &report) else { continue }
      isNew = true
      switch decision {
      case .send(let commit):
        outgoing.cover.insert(commit)
        let run = commit.predecessor.flatMap { runOfTail.removeValue(forKey: $0) } ?? runs.count
        if run == runs.count { runs.append([]) }
        runs[run].append(commit)
        runOfTail[commit.id] = run
      case .sendLarge(let commit):
        // The commits before it are written first, so that an interrupted run has made progress.
        if runs.isEmpty { try await writeLarge(commit) }
      case .park, .holdBack: break
      }
      if case .large = item { break }
    }
    for run in runs { try write(run) }
    return isNew
  }

  private mutating func write(_ run: [Commit]) throws {
    var writer = try SegmentWriter(in: folder.url)
    do {
      for commit in run { try writer.add(commit) }
    } catch {
      writer.abandon()
      throw error
    }
    try finish(&writer, run.count)
  }

  private mutating func writeLarge(_ commit: Commit) async throws {
    var writer = try SegmentWriter(in: folder.url)
    do {
      try writer.add(commit)
      var index = 0
      while index < commit.header.blockCount {
        let blocks = try await log.blocks(of: commit.id, from: index, atMost: limits.part)
        guard !blocks.isEmpty else { throw commit.damaged("block \(index) cannot be read") }
        for block in blocks { try writer.add(block) }
        index += blocks.count
      }
      outgoing.cover.insert(commit)
    } catch let error as VarveError where error.code == .damaged {
      writer.abandon()
      outgoing.park(commit.id, error, &report)
      return
    } catch {
      writer.abandon()
      throw error
    }
    try finish(&writer, 1)
  }

  private mutating func finish(_ writer: inout SegmentWriter, _ count: Int) throws {
    guard let name = try writer.finish() else { return }
    folder.mark(name, isDamaged: false)
    report.incompleteFiles.removeAll { $0 == name.text }
    report.sentCount += count
    report.sentByteCount += name.byteCount
  }
}
