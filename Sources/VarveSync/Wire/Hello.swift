package import VarveCore

/// The first message of each side: its identity and its capabilities.
package struct Hello: Sendable, Hashable {
  /// The protocol versions that the sender supports.
  package var versions: ClosedRange<UInt8>
  /// The newest commit format the sender can read.
  package var commitFormat: UInt8
  /// The replica that writes in the sender's store.
  package var replica: ReplicaID
  /// The incarnation of the log; zeros if there is none.
  package var epoch: [UInt8]
  /// The number of heads that follow.
  package var headCount: Int
  /// Fields of later versions.
  package var extensions: [CommitHeader.Extension] = []

  /// The versions that this build supports.
  package static let spoken: ClosedRange<UInt8> = 1...1
  /// The maximum number of heads of a store.
  package static let maximumHeadCount = 1_000_000
  private static let magic = Array("varve sync".utf8)

  /// The number of the field with optional capabilities and wishes.
  private static let wishesNumber: UInt64 = 2

  /// Whether complete commits can be requested by name.
  package var givesWhole: Bool { wishes & 1 != 0 }
  /// Whether commits should arrive as outlines first.
  package var wantsOutlines: Bool { wishes & 2 != 0 }

  /// Whether small commits may be sent packed.
  package var readsPacked: Bool { wishes & 4 != 0 }

  private var wishes: UInt8 {
    extensions.first { $0.number == Self.wishesNumber }?.bytes.first ?? 0
  }

  /// Creates this build's greeting.
  package init(
    replica: ReplicaID,
    headCount: Int,
    wantsOutlines: Bool = false,
    readsPacked: Bool = true
  ) {
    versions = Self.spoken
    commitFormat = CommitHeader.formatVersion
    self.replica = replica
    epoch = [UInt8](repeating: 0, count: 16)
    self.headCount = headCount
    let wishes: UInt8 = 1 | (wantsOutlines ? 2 : 0) | (readsPacked ? 4 : 0)
    extensions = [CommitHeader.Extension(number: Self.wishesNumber, bytes: [wishes])]
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.raw(Self.magic)
    writer.byte(versions.lowerBound)
    writer.byte(versions.upperBound)
    writer.byte(commitFormat)
    writer.replica(replica)
    writer.raw(epoch)
    writer.varint(headCount)
    writer.varint(extensions.count)
    for field in extensions {
      writer.varint(field.number)
      writer.counted(field.bytes)
    }
    return writer.bytes
  }

  /// Decodes a hello.
  ///
  /// - Throws: `newerFormat` if the sides have no version in common or a mandatory field is
  ///   unknown, `damaged` if the bytes are not a hello.
  package init(_ reader: inout ByteReader) throws {
    guard try Array(reader.raw(Self.magic.count)) == Self.magic else {
      throw reader.damaged("the other side does not synchronise a store of Varve")
    }
    let (lowest, highest) = (try reader.byte(), try reader.byte())
    guard lowest <= highest, lowest <= Self.spoken.upperBound,
      highest >= Self.spoken.lowerBound
    else { throw Self.newer("it speaks versions \(lowest) to \(highest) of the protocol") }
    versions = lowest...highest
    commitFormat = try reader.byte()
    replica = try reader.replica()
    epoch = Array(try reader.raw(16))
    headCount = try reader.number()
    guard headCount <= Self.maximumHeadCount else {
      throw reader.damaged("the other store announces \(headCount) chains")
    }
    for _ in 0..<(try reader.count(unit: 2)) {
      let number = try reader.varint()
      guard number % 2 == 0 else { throw Self.newer("its greeting has the field \(number)") }
      extensions.append(
        CommitHeader.Extension(number: number, bytes: Array(try reader.counted()))
      )
    }
  }

  private static func newer(_ what: String) -> VarveError {
    VarveError(
      .newerFormat,
      "the other store cannot be synchronised with: \(what)",
      remedy: "Use versions of Varve that are closer to each other on both sides."
    )
  }
}
