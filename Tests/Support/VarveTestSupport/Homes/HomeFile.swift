import Foundation
import VarveCore

/// What a home's file contains: the space, then additions, each with its length and its checksum.
///
/// An addition is kept if all of it is there, so one whose process was killed half-way is passed
/// over.
struct HomeFile {
  private static let magic = Array("varve home\0".utf8) + [2]
  private static let headByteCount = magic.count + 16
  private static let prefixByteCount = 40

  private let url: URL
  let space: SpaceID
  private(set) var name = ""
  private(set) var incarnation: Int64 = 0
  private(set) var replica = ReplicaID(high: 0, low: 0)
  private(set) var format = HomeHead.format
  private(set) var arrivals: [StoredArrival] = []
  /// The positions before the first arrival and after each, as of the present incarnation.
  private(set) var positions = [HomePosition(incarnation: 0)]
  /// The size and the identity of the file as it was read.
  private(set) var fingerprint: Fingerprint
  private var byteCount = HomeFile.headByteCount

  /// What differs after every change of a file.
  struct Fingerprint: Equatable {
    let byteCount: Int
    let number: Int
    let date: Date?
  }

  static func create(
    at url: URL,
    _ space: SpaceID,
    name: String,
    replica: ReplicaID,
    format: Int
  ) throws {
    var head = ByteWriter(capacity: headByteCount)
    head.raw(magic)
    head.fixed(space.high)
    head.fixed(space.low)
    let copy = (Int64.random(in: 0 ... .max), replica)
    head.raw(framed(HomeAddition(copy: copy, name: name, format: format)))
    try Data(head.bytes).write(to: url, options: .atomic)
  }

  /// Reads all that is whole.
  init(_ url: URL) throws {
    self.url = url
    fingerprint = try Self.fingerprint(of: url)
    let bytes = Array(try Data(contentsOf: url))
    guard bytes.starts(with: Self.magic), bytes.count >= Self.headByteCount else {
      throw VarveError(.damaged, "the file is not the home of a log", at: url.path)
    }
    let start = Self.magic.count
    space = SpaceID(
      high: Self.number(bytes[start..<start + 8]),
      low: Self.number(bytes[start + 8..<start + 16])
    )
    while let content = Self.content(of: bytes, at: byteCount) {
      note(try HomeAddition(content))
      byteCount += Self.prefixByteCount + content.count
    }
  }

  /// - Throws: `notFound` if the file was removed.
  static func fingerprint(of url: URL) throws -> Fingerprint {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
      throw VarveError(
        .notFound,
        "the space is not here any more",
        at: url.path,
        remedy: "List the spaces of the home."
      )
    }
    return Fingerprint(
      byteCount: attributes[.size] as? Int ?? 0,
      number: attributes[.systemFileNumber] as? Int ?? 0,
      date: attributes[.modificationDate] as? Date
    )
  }

  var head: HomeHead {
    HomeHead(position: positions[positions.count - 1], replica: replica, format: format)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the content of the addition that begins at a place, if all of it is there.
  private static func content(of bytes: [UInt8], at start: Int) -> [UInt8]? {
    guard start + prefixByteCount <= bytes.count else { return nil }
    let count = Int(clamping: number(bytes[start..<start + 8]))
    let begin = start + prefixByteCount
    guard count <= bytes.count - begin else { return nil }
    let content = Array(bytes[begin..<begin + count])
    let checksum = Array(bytes[start + 8..<begin])
    return ContentDigest.sha256(content).bytes == checksum ? content : nil
  }

  private static func framed(_ addition: HomeAddition) -> [UInt8] {
    let content = addition.encoded
    var writer = ByteWriter(capacity: content.count + prefixByteCount)
    writer.fixed(UInt64(content.count))
    writer.raw(ContentDigest.sha256(content).bytes)
    writer.raw(content)
    return writer.bytes
  }

  private mutating func note(_ addition: HomeAddition) {
    if let copy = addition.copy {
      (incarnation, replica) = copy
      positions = positions.map { $0.of(incarnation: incarnation) }
    }
    name = addition.name ?? name
    format = addition.format ?? format
    for stored in addition.arrivals {
      arrivals.append(stored)
      var position = positions[positions.count - 1]
      position.advance(past: stored.arrival)
      positions.append(position)
    }
  }

  /// Writes an addition, and other content of some commits, in one step.
  mutating func commit(_ addition: HomeAddition, replacing others: [CommitID: [Block]]) throws {
    let isReplacing = arrivals.contains { stored in
      others[stored.arrival.commit].map { stored.replaces($0) } ?? false
    }
    if isReplacing {
      try rewrite(addition, replacing: others)
    } else {
      try append(Self.framed(addition))
    }
    note(addition)
    fingerprint = try Self.fingerprint(of: url)
  }

  /// Writes bytes after the last whole addition.
  private mutating func append(_ bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: url)
    defer { try? file.close() }
    try file.truncate(atOffset: UInt64(byteCount))
    try file.seek(toOffset: UInt64(byteCount))
    try file.write(contentsOf: bytes)
    byteCount += bytes.count
  }

  private mutating func rewrite(
    _ addition: HomeAddition,
    replacing others: [CommitID: [Block]]
  ) throws {
    for index in arrivals.indices {
      guard let blocks = others[arrivals[index].arrival.commit] else { continue }
      if arrivals[index].replaces(blocks) { arrivals[index].commit?.replace(blocks) }
    }
    var writer = ByteWriter(capacity: byteCount)
    writer.raw(Self.magic)
    writer.fixed(space.high)
    writer.fixed(space.low)
    let copy = (incarnation, replica)
    let all = HomeAddition(copy: copy, name: name, format: format, arrivals: arrivals)
    writer.raw(Self.framed(all))
    writer.raw(Self.framed(addition))
    try Data(writer.bytes).write(to: url, options: .atomic)
    byteCount = writer.count
  }
}

extension Commit {
  fileprivate mutating func replace(_ blocks: [Block]) { self = with(blocks) }
}
