import Foundation
import VarveCore

/// Keeps the number of files in a folder small: joins consecutive small segments of a chain, and
/// removes segments whose commits a joined one contains.
///
/// Every commit is always in a complete file. The joined segment is written first. The segments it
/// contains are removed only once it is old enough to have been copied wherever the folder is
/// copied, and after it has been read and found complete. Only a segment with more commits can
/// contain another, so two stores that do this at once never remove each other's.
struct FolderJoining {
  private let folder: SyncFolder
  private let log: any CommitLog
  private let limits: SyncLimits
  private let nowMilliseconds: Int64
  /// Whether a file was found complete, for the files that were read.
  private var isWhole: [SegmentName: Bool] = [:]

  init(_ folder: SyncFolder, _ log: any CommitLog, _ limits: SyncLimits, nowMilliseconds: Int64) {
    self.folder = folder
    self.log = log
    self.limits = limits
    self.nowMilliseconds = nowMilliseconds
  }

  mutating func run() async throws {
    let listing = try folder.listing()
    let whole = listing.segments.filter { !listing.damaged.contains($0.text) }
    guard whole.count >= limits.joinCount else { return }
    for head in try await log.frontier().heads {
      let segments = whole.filter { $0.head.replica == head.replica }
      let known = Set(try await log.predecessors(of: head, at: segments.map(\.head.sequence)))
      let chain = SegmentChain(segments.filter { known.contains($0.head) })
      for run in chain.runs(ofAtLeast: limits.joinCount, smallerThan: limits.joinByteCount) {
        try Task.checkCancellation()
        try join(run)
      }
      for (held, holder) in chain.held { try takeAway(held, heldBy: holder) }
    }
  }

  /// Writes one segment with the unchanged commits of several.
  private mutating func join(_ run: [SegmentName]) throws {
    for name in run where try !isWhole(name) { return }
    var writer = try SegmentWriter(in: folder.url)
    do {
      for name in run { try writer.add(name, in: folder.url) }
    } catch {
      writer.abandon()
      // Another store has joined them meanwhile.
      let isGone = run.contains { !SegmentReader($0, in: folder.url).isThere }
      guard isGone else { throw error }
      return
    }
    _ = try writer.finish()
  }

  private mutating func takeAway(_ name: SegmentName, heldBy holder: SegmentName) throws {
    guard isOld(name), isOld(holder), try isWhole(holder) else { return }
    try? FileManager.default.removeItem(at: folder.url.appendingPathComponent(name.text))
    folder.mark(name, isDamaged: false)
  }

  private mutating func isWhole(_ name: SegmentName) throws -> Bool {
    if let known = isWhole[name] { return known }
    let answer = try SegmentReader(name, in: folder.url).condition() == .whole
    isWhole[name] = answer
    return answer
  }

  /// Returns whether a file is old enough, by the local clock.
  private func isOld(_ name: SegmentName) -> Bool {
    let path = folder.url.appendingPathComponent(name.text).path
    guard
      let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        as? Date
    else { return false }
    let age = nowMilliseconds - Int64(date.timeIntervalSince1970 * 1_000)
    return age >= limits.joinedAgeMilliseconds
  }
}

/// The segments of one chain.
struct SegmentChain {
  /// The segments that no other contains, in order.
  private var standing: [SegmentName] = []
  /// The other segments, each with one that contains all its commits and more.
  private(set) var held: [(name: SegmentName, holder: SegmentName)] = []

  init(_ segments: [SegmentName]) {
    let sorted = segments.sorted { ($0.first, -$0.head.sequence) < ($1.first, -$1.head.sequence) }
    for segment in sorted {
      if let last = standing.last, last.head.sequence >= segment.head.sequence {
        // Two segments of equal extent, which no store writes, both stay.
        if last.count > segment.count { held.append((segment, last)) }
      } else {
        standing.append(segment)
      }
    }
  }

  /// Returns runs of small consecutive segments without a gap.
  func runs(ofAtLeast count: Int, smallerThan byteCount: Int) -> [[SegmentName]] {
    var runs: [[SegmentName]] = []
    for segment in standing where segment.byteCount < byteCount {
      if let last = runs.last?.last, segment.first == last.head.sequence + 1 {
        runs[runs.count - 1].append(segment)
      } else {
        runs.append([segment])
      }
    }
    return runs.filter { $0.count >= count }
  }
}
