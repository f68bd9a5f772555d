import Foundation
import VarveCore

/// Writes a segment under a name of its own and renames it when it is whole and on the disk, so that
/// nobody ever reads half of what is here.
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

  /// Writes the next block of the commit written last.
  mutating func add(_ block: Block) throws {
    records.add(block)
    try write(records.take())
  }

  /// Writes the commits of a whole segment, which go on with the chain.
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

  /// Ends the segment and gives it its name. One of that name holds the same.
  mutating func finish() throws -> SegmentName? {
    guard let first, let tail else {
      abandon()
      return nil
    }
    let seal = digest.digest.bytes
    let name = SegmentName(first: first, head: tail, byteCount: byteCount + seal.count)
    do {
      try file.write(contentsOf: seal)
      try file.synchronize()
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

  /// Takes away what was written.
  func abandon() {
    try? file.close()
    try? FileManager.default.removeItem(at: url)
  }
}

/// What goes wrong with files of a folder.
enum FolderFailure {
  static func error(_ what: String, at url: URL, _ error: any Error) -> VarveError {
    let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
    return VarveError(
      isFull ? .diskFull : .inputOutput,
      isFull ? "\(what): the disk is full" : "\(what): \(error.localizedDescription)",
      at: url.path,
      remedy: "Check the folder and synchronise again: what was done is kept."
    )
  }
}
