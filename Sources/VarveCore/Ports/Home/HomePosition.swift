/// A place in the order of a home's arrivals.
package struct HomePosition: Sendable, Hashable {
  /// The copy of the log: random, and new if the copy is restored or went back.
  package let incarnation: Int64
  /// The number of arrivals up to here.
  package private(set) var number: Int64 = 0
  /// A hash over them in their order.
  package private(set) var running: Int64 = 0

  /// The place before the first arrival.
  package init(incarnation: Int64) { self.incarnation = incarnation }

  /// A place that was kept.
  package init(incarnation: Int64, number: Int64, running: Int64) {
    self.incarnation = incarnation
    self.number = number
    self.running = running
  }

  /// Goes on past an arrival.
  package mutating func advance(past arrival: HomeArrival) {
    number += 1
    var writer = ByteWriter(capacity: 48)
    writer.fixed(UInt64(bitPattern: running))
    writer.byte(arrival.kind.rawValue)
    writer.digest(arrival.commit.hash)
    let hash = ContentDigest.sha256(writer.bytes).bytes
    running = Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Returns the same place in another copy of the log.
  package func of(incarnation: Int64) -> HomePosition {
    HomePosition(incarnation: incarnation, number: number, running: running)
  }
}

/// What a home has at one moment.
package struct HomeHead: Sendable, Hashable {
  /// The position of the newest arrival.
  package let position: HomePosition
  /// The replica under which all hosts write.
  package let replica: ReplicaID
  /// The version of what arrivals contain. Hosts write nothing newer, and refuse a newer one.
  package let format: Int

  /// The version of an open space.
  package static let format = 1
  /// The version of a relay of a sealed space, which also has records.
  package static let sealedFormat = 2
  /// The newest version that this build knows.
  package static let newestFormat = sealedFormat

  package init(position: HomePosition, replica: ReplicaID, format: Int = HomeHead.format) {
    self.position = position
    self.replica = replica
    self.format = format
  }

  /// Whether the space is a relay of a sealed one.
  package var isSealed: Bool { format == Self.sealedFormat }

  /// Checks that this build can follow the home.
  package func requireKnownFormat() throws {
    guard format <= Self.newestFormat else {
      throw VarveError(
        .newerFormat,
        "the home of the log has format \(format); this build knows \(Self.newestFormat)",
        remedy: "Open it with a newer version of Varve."
      )
    }
  }
}
