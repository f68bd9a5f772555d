import Foundation
import VarveCore

/// A folder through which stores exchange commits: on a stick, a share, or a service that copies
/// files about.
///
/// It holds segments: files that never change, each some commits of one chain, written under a name
/// of its own and renamed when whole. Nothing else is needed, so any number of stores may write at
/// once, files may come in any order, and half a copy is passed over until it is whole. See
/// `Documentation/Protocol.md`, "Folders".
package struct SyncFolder: Sendable {
  let url: URL

  /// A folder, which is made if there is none.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput`.
  package init(_ path: String) throws {
    url = URL(fileURLWithPath: path, isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw FolderFailure.error("the folder cannot be made", at: url, error)
    }
  }

  /// What the folder holds, as far as names and sizes tell.
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

  /// Notes that a segment is damaged, or not any more.
  func mark(_ name: SegmentName, isDamaged: Bool) {
    let mark = url.appendingPathComponent(name.text + SegmentName.damagedSuffix)
    if isDamaged {
      try? Data().write(to: mark)
    } else {
      try? FileManager.default.removeItem(at: mark)
    }
  }

  /// Takes over what the folder has and the log lacks, then adds to the folder what it lacks.
  ///
  /// - Parameters:
  ///   - nowMilliseconds: the clock by which files are old.
  ///   - progress: told after each part.
  /// - Throws: ``VarveError``; `CancellationError`. What was done is kept.
  package func synchronize(
    _ log: any SyncLog,
    limits: SyncLimits = SyncLimits(),
    nowMilliseconds: Int64 = SystemClock.millisecondsSince1970(),
    progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    var intake = FolderIntake(self, log, limits)
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
  /// Those as long as their names say, in an order in which what others need mostly comes first.
  var segments: [SegmentName] = []
  /// Those that are not.
  var incomplete: [SegmentName] = []
  /// Those somebody found damaged.
  var damaged: Set<String> = []
}
