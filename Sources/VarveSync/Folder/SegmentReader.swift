import Foundation
import VarveCore

/// Reads the commits of a segment in order.
struct SegmentReader {
  private let url: URL
  private let name: SegmentName
  /// The offset at which the next commit begins.
  private var offset: UInt64
  private var records = CommitStreamReader()
  private var file: FileHandle?
  private var next: Commit?

  private static let sealByteCount = 32
  private static let pieceByteCount = 1 << 18

  init(_ name: SegmentName, in folder: URL) {
    self.name = name
    url = folder.appendingPathComponent(name.text)
    offset = UInt64(SegmentWriter.magic.count)
  }

  /// Whether a file can be read.
  enum Condition {
    case whole
    /// It is not there, or shorter or longer than its name says.
    case incomplete
    /// It has its length and other bytes.
    case damaged
  }

  /// Returns whether the file is complete and unchanged.
  func condition() throws -> Condition {
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      var digest = DigestStream()
      var left = name.byteCount - Self.sealByteCount
      guard left >= SegmentWriter.magic.count else { return .incomplete }
      var (isFirst, hasOtherBytes) = (true, false)
      while left > 0 {
        guard let piece = try file.read(upToCount: min(left, Self.pieceByteCount)), !piece.isEmpty
        else { return .incomplete }
        if isFirst, !piece.starts(with: SegmentWriter.magic) { hasOtherBytes = true }
        isFirst = false
        digest.add(piece)
        left -= piece.count
      }
      guard let seal = try file.read(upToCount: Self.sealByteCount + 1),
        seal.count == Self.sealByteCount
      else { return .incomplete }
      return !hasOtherBytes && Array(seal) == digest.digest.bytes ? .whole : .damaged
    } catch CocoaError.fileReadNoSuchFile {
      return .incomplete
    } catch {
      throw FolderFailure.error("a segment cannot be read", at: url, error)
    }
  }

  /// Returns the next commit, without its blocks and without advancing; nil at the end.
  mutating func peek() throws -> Commit? {
    if next == nil {
      switch try nextRecord() {
      case .header(let commit): next = commit
      case .unreadable(_, let error): throw error
      case .block: throw Frame.damaged("a segment has a block without a commit")
      case .commit: throw Frame.damaged("a segment has a packed commit")
      case nil: break
      }
    }
    return next
  }

  /// Returns a part of the current commit: its header for 0, then its blocks in order.
  mutating func takePart(_ index: Int) throws -> CommitPart? {
    guard let commit = next else { return nil }
    if index == 0 { return .header(commit.header) }
    guard index <= commit.header.blockCount else { return nil }
    guard case .block(let block)? = try nextRecord() else {
      throw commit.damaged("block \(index - 1) is missing in a segment")
    }
    return .block(block)
  }

  /// Advances past the current commit, whose parts have been taken.
  mutating func pass() { next = nil }

  private mutating func nextRecord() throws -> CommitStreamReader.Record? {
    while true {
      if let record = try records.next() { return record }
      guard try fill() else { return nil }
    }
  }

  /// Returns the next bytes of the stream of commits; nil at its end.
  mutating func takePiece() throws -> [UInt8]? {
    do {
      let file = try self.file ?? FileHandle(forReadingFrom: url)
      self.file = file
      let left = UInt64(name.byteCount - Self.sealByteCount) - offset
      guard left > 0 else { return nil }
      try file.seek(toOffset: offset)
      let count = Int(min(left, UInt64(Self.pieceByteCount)))
      guard let piece = try file.read(upToCount: count), !piece.isEmpty else { return nil }
      offset += UInt64(piece.count)
      return Array(piece)
    } catch {
      throw FolderFailure.error("a segment cannot be read", at: url, error)
    }
  }

  private mutating func fill() throws -> Bool {
    guard let piece = try takePiece() else { return false }
    records.add(piece)
    return true
  }

  /// Whether the file exists.
  var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }

  /// Closes the file; the next read opens it again.
  mutating func rest() {
    try? file?.close()
    file = nil
  }
}
