import VarveCore
import VarveSync

/// An arrival with the commit that came with it.
struct StoredArrival {
  let arrival: HomeArrival
  var commit: Commit?
  /// The bytes of a record of a sealed space.
  var record: [UInt8]?

  /// Whether the commit has other content.
  func replaces(_ blocks: [Block]) -> Bool { commit.map { $0.blocks != blocks } ?? false }
}

/// The content of one write to a home's file.
struct HomeAddition {
  /// The incarnation and the replica from now on; nil if they stay.
  var copy: (incarnation: Int64, replica: ReplicaID)?
  /// The name of the space; nil if it stays.
  var name: String?
  /// The format of the home; nil if it stays.
  var format: Int?
  var arrivals: [StoredArrival] = []

  init(
    copy: (incarnation: Int64, replica: ReplicaID)? = nil,
    name: String? = nil,
    format: Int? = nil,
    arrivals: [StoredArrival] = []
  ) {
    self.copy = copy
    self.name = name
    self.format = format
    self.arrivals = arrivals
  }

  /// Collects arrivals, part by part.
  init(_ next: () throws -> HomePart?) throws {
    while let part = try next() {
      switch part {
      case .arrival(let arrival): arrivals.append(StoredArrival(arrival: arrival))
      case .part(.header(let header)):
        arrivals[arrivals.count - 1].commit = Commit(header: header, blocks: [])
      case .part(.block(let block)):
        let commit = arrivals[arrivals.count - 1].commit
        arrivals[arrivals.count - 1].commit = commit.map { $0.with($0.blocks + [block]) }
      case .record(let record): arrivals[arrivals.count - 1].record = record
      }
    }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte((copy == nil ? 0 : 1) | (name == nil ? 0 : 2) | (format == nil ? 0 : 4))
    if let copy {
      writer.fixed(UInt64(bitPattern: copy.incarnation))
      writer.replica(copy.replica)
    }
    if let name { writer.text(name) }
    if let format { writer.varint(format) }
    writer.varint(arrivals.count)
    for stored in arrivals {
      writer.byte(stored.arrival.kind.rawValue)
      if let record = stored.record {
        writer.counted(record)
        continue
      }
      writer.commitID(stored.arrival.commit)
      writer.text(stored.arrival.principal ?? "")
      var stream = CommitStreamWriter()
      if let commit = stored.commit { stream.add(commit) }
      writer.counted(stream.take())
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return try HomeAddition(&reader)
    }
  }

  private init(_ reader: inout ByteReader) throws {
    let flags = try reader.byte()
    if flags & 1 != 0 {
      copy = (Int64(bitPattern: try reader.fixed()), try reader.replica())
    }
    if flags & 2 != 0 { name = try reader.text() }
    if flags & 4 != 0 { format = try reader.number() }
    for _ in 0..<(try reader.number()) {
      guard let kind = HomeArrival.Kind(rawValue: try reader.byte()) else {
        throw reader.damaged("an arrival of an unknown kind")
      }
      guard kind != .record else {
        let record = Array(try reader.counted())
        arrivals.append(StoredArrival(arrival: .record(record), record: record))
        continue
      }
      let id = try reader.commitID()
      let principal = try reader.text()
      let stream = Array(try reader.counted())
      arrivals.append(
        StoredArrival(
          arrival: HomeArrival(kind, id, principal: principal.isEmpty ? nil : principal),
          commit: try Self.commit(in: stream)
        )
      )
    }
  }

  private static func commit(in content: [UInt8]) throws -> Commit? {
    var reader = CommitStreamReader()
    reader.add(content)
    var commit: Commit?
    while let record = try reader.next() {
      switch record {
      case .header(let read), .commit(let read): commit = read
      case .unreadable(_, let error): throw error
      case .block(let block): commit = commit.map { $0.with($0.blocks + [block]) }
      }
    }
    return commit
  }
}
