import Foundation
import VarveCore

/// Writes a segment under a temporary name and renames it once it is complete and on the disk, so
/// that an incomplete segment is never read.
struct SegmentWriter {
  static let magic = Array("varve segment\0".utf8) + [1]

  private let folder: URL
  private let url: URL
  private let file: FileHandle
  private var digest = DigestStream()
  private var byteCount = 0
  private var first: Int64?
  private(set) var tail: CommitID?
  private var records = CommitStreamWriter()

  init(in folder: URL) throws {
    self.folder = folder
    url = folder.appendingPathComponent(".\(UUID().uuidString)\(SegmentName.suffix).partial")
    do {
      try Data().write(to: url)
      file = try FileHandle(forWritingTo: url)
    } catch {
      throw FolderFailure.error("a segment cannot be written", at: url, error)
    }
    try write(Self.magic)
  }

  /// Writes the next commit of the chain, with the blocks it has.
  mutating func add(_ commit: Commit) throws {
    first = first ?? commit.header.sequence
    tail = commit.id
    records.add(commit)
    try write(records.take())
  }

  /// Writes the next block of the last commit written.
  mutating func add(_ block: Block) throws {
    records.add(block)
    try write(records.take())
  }

  /// Writes the commits of a whole segment, which continue the chain.
  mutating func add(_ name: SegmentName, in folder: URL) throws {
    first = first ?? name.first
    tail = name.head
    var reader = SegmentReader(name, in: folder)
    while let piece = try reader.takePiece() { try write(piece) }
    reader.rest()
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    digest.add(bytes)
    byteCount += bytes.count
    do {
      try file.write(contentsOf: bytes)
    } catch {
      throw FolderFailure.error("a segment cannot be written", at: url, error)
    }
  }

  /// Completes the segment and gives it its name. An existing file of that name has the same
  /// content.
  mutating func finish() throws -> SegmentName? {
    guard let first, let tail else {
      abandon()
      return nil
    }
    let seal = digest.digest.bytes
    let name = SegmentName(first: first, head: tail, byteCount: byteCount + seal.count)
    do {
      try file.write(contentsOf: seal)
      guard FileFlush.flush(file.fileDescriptor) else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      try file.close()
      let target = folder.appendingPathComponent(name.text)
      guard rename(url.path, target.path) == 0 else {
        throw CocoaError(.fileWriteUnknown)
      }
    } catch {
      abandon()
      throw FolderFailure.error("a segment cannot be written", at: url, error)
    }
    return name
  }

  /// Removes the unfinished file.
  func abandon() {
    try? file.close()
    try? FileManager.default.removeItem(at: url)
  }
}

/// The errors of a folder's files.
enum FolderFailure {
  static func error(_ what: String, at url: URL, _ error: any Error) -> VarveError {
    let remedy = "Check the folder and synchronise again: the finished part is kept."
    let known = VarveError.system(VarveError.systemNumber(of: error), what, at: url.path)
    return switch known.code {
    case .diskFull:
      VarveError(.diskFull, "\(what): the disk is full", at: url.path, remedy: remedy)
    case .readOnly:
      VarveError(
        .readOnly,
        "\(what): the folder's file system is read-only",
        at: url.deletingLastPathComponent().path,
        remedy: "Use a folder that is writable."
      )
    default:
      VarveError(
        .inputOutput,
        "\(what): \(error.localizedDescription)",
        at: url.path,
        remedy: remedy
      )
    }
  }
}
