import Foundation
package import VarveCore

/// A folder through which stores exchange commits: on a stick, a share, or in a service that copies
/// files.
///
/// The folder contains segments: immutable files, each with some commits of one chain, written
/// under a temporary name and renamed when complete. There is no other coordination, so any number
/// of stores may write at once, files may arrive in any order, and an incomplete copy is ignored
/// until it is complete. See `Documentation/Protocol.md`, "Folders".
package struct SyncFolder: Sendable {
  let url: URL

  /// Opens a folder, and creates it if it does not exist. The folder that has it must exist, so a
  /// stick that is not there is no success.
  ///
  /// - Throws: `VarveError`: `invalidArgument` for an empty path, `notFound` if the folder that
  ///   has it does not exist, `inputOutput`.
  package init(_ path: String) throws {
    guard !path.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "the path of the folder is empty",
        at: "folder",
        remedy: "Name a folder."
      )
    }
    url = URL(fileURLWithPath: path, isDirectory: true)
    let parent = url.deletingLastPathComponent().path
    guard FileManager.default.fileExists(atPath: parent) else {
      throw VarveError(
        .notFound,
        "there is no folder \(parent.logged) in which to make the folder",
        at: path,
        remedy: "Make it first, or correct the path."
      )
    }
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw FolderFailure.error("the folder cannot be made", at: url, error)
    }
  }

  /// Returns the content of the folder, judged by names and sizes.
  func listing() throws -> FolderListing {
    do {
      var listing = FolderListing()
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        if name.hasSuffix(SegmentName.damagedSuffix) {
          listing.damaged.insert(String(name.dropLast(SegmentName.damagedSuffix.count)))
        }
        guard let segment = SegmentName(name) else { continue }
        let path = url.appendingPathComponent(name).path
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        if size == segment.byteCount {
          listing.segments.append(segment)
        } else {
          listing.incomplete.append(segment)
        }
      }
      listing.segments.sort()
      listing.incomplete.sort()
      return listing
    } catch {
      throw FolderFailure.error("the folder cannot be read", at: url, error)
    }
  }

  /// Marks a segment as damaged, or removes the mark.
  func mark(_ name: SegmentName, isDamaged: Bool) {
    let mark = url.appendingPathComponent(name.text + SegmentName.damagedSuffix)
    if isDamaged {
      try? Data().write(to: mark)
    } else {
      try? FileManager.default.removeItem(at: mark)
    }
  }

  /// Adds the folder's commits to the log, then the log's commits to the folder.
  ///
  /// - Parameters:
  ///   - nowMilliseconds: the time that decides whether a file is old.
  ///   - progress: called after each part.
  /// - Throws: `VarveError`; `CancellationError`. The finished part is kept.
  package func synchronize(
    _ log: any CommitLog,
    limits: SyncLimits = SyncLimits(),
    nowMilliseconds: Int64 = SystemClock.millisecondsSince1970(),
    progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    if var membership = try await FolderMembership(self, log) {
      guard try await membership.run() else { return membership.report }
      return try await exchange(log, limits, nowMilliseconds, membership.report, progress)
    }
    return try await exchange(log, limits, nowMilliseconds, SyncReport(), progress)
  }

  /// Exchanges commits.
  private func exchange(
    _ log: any CommitLog,
    _ limits: SyncLimits,
    _ nowMilliseconds: Int64,
    _ report: SyncReport,
    _ progress: (SyncProgress) -> Void
  ) async throws -> SyncReport {
    var intake = FolderIntake(self, log, limits, report)
    try await intake.run(progress)
    try await FolderForgetting(self, log, limits).run(try listing())
    var output = FolderOutput(self, log, limits, intake.report, intake.progress)
    try await output.run(try listing(), progress)
    var joining = FolderJoining(self, log, limits, nowMilliseconds: nowMilliseconds)
    try await joining.run()
    return output.report
  }
}

/// The files of a folder at one time.
struct FolderListing {
  /// Segments as long as their names say, ordered so that most commits come after those they depend
  /// on.
  var segments: [SegmentName] = []
  /// Segments of another length than their names say.
  var incomplete: [SegmentName] = []
  /// The names of segments that are marked as damaged.
  var damaged: Set<String> = []
}
