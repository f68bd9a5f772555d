import Foundation
import VarveCore
import VarveSync

/// What a home's file holds: an incarnation, then additions of commits.
final class HomeFile {
  private static let magic = Array("varve home\0".utf8) + [1]
  private static let headByteCount = magic.count + 8
  private static let prefixByteCount = 40

  private let url: URL
  private let incarnation: Int64
  private(set) var commits: [Commit] = []
  /// The places before the first commit and after each.
  private(set) var positions: [HomePosition]
  private var byteCount = HomeFile.headByteCount

  static func create(at url: URL, incarnation: Int64) throws {
    var head = ByteWriter(capacity: headByteCount)
    head.raw(magic)
    head.fixed(UInt64(bitPattern: incarnation))
    try Data(head.bytes).write(to: url, options: .atomic)
  }

  /// Reads all that is whole.
  init(_ url: URL) throws {
    self.url = url
    let bytes = Array(try Data(contentsOf: url))
    guard bytes.starts(with: Self.magic), bytes.count >= Self.headByteCount else {
      throw VarveError(.damaged, "the file is no home of a log", at: url.path)
    }
    incarnation = Int64(bitPattern: Self.number(bytes[Self.magic.count..<Self.headByteCount]))
    positions = [HomePosition(incarnation: incarnation)]
    while let content = Self.addition(bytes, at: byteCount) {
      try note(try Self.commits(in: content))
      byteCount += Self.prefixByteCount + content.count
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The addition that begins at a place, if all of it is there.
  private static func addition(_ bytes: [UInt8], at start: Int) -> [UInt8]? {
    guard start + prefixByteCount <= bytes.count else { return nil }
    let count = Int(clamping: number(bytes[start..<start + 8]))
    let begin = start + prefixByteCount
    guard count <= bytes.count - begin else { return nil }
    let content = Array(bytes[begin..<begin + count])
    let checksum = Array(bytes[start + 8..<begin])
    return ContentDigest.sha256(content).bytes == checksum ? content : nil
  }

  private static func commits(in content: [UInt8]) throws -> [Commit] {
    var reader = CommitStreamReader()
    reader.add(content)
    var commits: [Commit] = []
    while let record = try reader.next() {
      switch record {
      case .header(let commit): commits.append(commit)
      case .unreadable(_, let error): throw error
      case .block(let block):
        let commit = commits.removeLast()
        commits.append(commit.with(commit.blocks + [block]))
      }
    }
    return commits
  }

  private func note(_ added: [Commit]) throws {
    for commit in added {
      commits.append(commit)
      var position = positions[positions.count - 1]
      position.advance(past: commit.id)
      positions.append(position)
    }
  }

  private static func addition(of commits: [Commit]) -> [UInt8] {
    var stream = CommitStreamWriter()
    for commit in commits { stream.add(commit) }
    let content = stream.take()
    var writer = ByteWriter(capacity: content.count + prefixByteCount)
    writer.fixed(UInt64(content.count))
    writer.raw(ContentDigest.sha256(content).bytes)
    writer.raw(content)
    return writer.bytes
  }

  /// Writes an addition after the last whole one.
  func append(_ added: [Commit]) throws {
    guard !added.isEmpty else { return }
    let bytes = Self.addition(of: added)
    let file = try FileHandle(forUpdating: url)
    defer { try? file.close() }
    try file.truncate(atOffset: UInt64(byteCount))
    try file.seek(toOffset: UInt64(byteCount))
    try file.write(contentsOf: bytes)
    byteCount += bytes.count
    try note(added)
  }

  /// Writes the file anew with other content of some commits.
  func replace(_ others: [CommitID: Commit]) throws {
    let changed = commits.map { others[$0.id] ?? $0 }
    guard zip(changed, commits).contains(where: { $0.blocks != $1.blocks }) else { return }
    commits = changed
    var writer = ByteWriter(capacity: byteCount)
    writer.raw(Self.magic)
    writer.fixed(UInt64(bitPattern: incarnation))
    for commit in commits { writer.raw(Self.addition(of: [commit])) }
    try Data(writer.bytes).write(to: url, options: .atomic)
    byteCount = writer.count
  }
}
