import Foundation
import VarveCore

/// Replaces segments that contain data purged since they were written.
///
/// The new segment holds the same commits, so its name differs only in its length. The old segment
/// is removed once the new one exists. A store that is reading the old one reads it to the end, or
/// reads the new one next time.
struct FolderForgetting {
  private let folder: SyncFolder
  private let log: any CommitLog
  private let limits: SyncLimits

  init(_ folder: SyncFolder, _ log: any CommitLog, _ limits: SyncLimits) {
    self.folder = folder
    self.log = log
    self.limits = limits
  }

  /// - Complexity: O(bytes of the segments with a commit that a purge redacted).
  func run(_ listing: FolderListing) async throws {
    let purged = Set(try await log.purgedCommits())
    guard !purged.isEmpty else { return }
    // A replica that lacks some of the commits' content leaves these segments to others.
    let awaited = try await log.awaited(from: 0, atMost: .max).ranges
    for name in listing.segments where !listing.damaged.contains(name.text) {
      let isMeant = purged.contains { name.overlaps(CommitRange(last: $0, count: 1)) }
      let isHere = !awaited.contains { name.overlaps($0) }
      guard isMeant, isHere, try await log.held(among: [name.head]).count == 1 else { continue }
      try Task.checkCancellation()
      if let commits = try await staleCommits(of: name, purged) {
        try await replace(name, commits)
      }
    }
  }

  /// Returns a segment's commits, without blocks, if the segment has content that the log has
  /// purged; otherwise nil.
  private func staleCommits(
    of name: SegmentName,
    _ purged: Set<CommitID>
  ) async throws -> [Commit]? {
    var reader = SegmentReader(name, in: folder.url)
    defer { reader.rest() }
    guard try reader.condition() == .whole else { return nil }
    var commits: [Commit] = []
    var isStale = false
    do {
      while let commit = try reader.peek() {
        commits.append(commit)
        for index in 0..<commit.header.blockCount {
          guard case .block(let block)? = try reader.takePart(index + 1), !isStale,
            purged.contains(commit.id)
          else { continue }
          let own = try await log.blocks(of: commit.id, from: index, atMost: 1).first
          isStale = own.map { isStaler(block, than: $0) } ?? false
        }
        reader.pass()
      }
    } catch let error as VarveError where error.code == .damaged || error.code == .newerFormat {
      return nil
    }
    return isStale ? commits : nil
  }

  /// Returns whether a block in a segment has what a purge took away from the one here.
  private func isStaler(_ block: Block, than own: Block) -> Bool {
    guard own.isRedacted else { return false }
    guard block.isRedacted else { return true }
    // A store of a sealed space names only commits that are here as the last purge left them. In an open one
    // what a further purge left is smaller.
    return log.sealing != nil
      ? block.stored != own.stored : own.stored.count < block.stored.count
  }

  private func replace(_ name: SegmentName, _ commits: [Commit]) async throws {
    var writer = try SegmentWriter(in: folder.url)
    do {
      for commit in commits {
        try writer.add(commit)
        var index = 0
        while index < commit.header.blockCount {
          let blocks = try await log.blocks(of: commit.id, from: index, atMost: limits.part)
          guard !blocks.isEmpty else { throw commit.damaged("block \(index) cannot be read") }
          for block in blocks { try writer.add(block) }
          index += blocks.count
        }
      }
    } catch {
      writer.abandon()
      throw error
    }
    guard let new = try writer.finish(), new != name else { return }
    do {
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name.text))
    } catch CocoaError.fileNoSuchFile {
      return
    } catch {
      throw FolderFailure.error("a segment cannot be deleted", at: folder.url, error)
    }
  }
}
