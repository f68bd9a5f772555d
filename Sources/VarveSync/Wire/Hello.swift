package import VarveCore

/// What each side says first: who it is and what it can read.
package struct Hello: Sendable, Hashable {
  /// The range of protocol versions spoken.
  package var versions: ClosedRange<UInt8>
  /// The newest format of commits that can be read.
  package var commitFormat: UInt8
  /// The replica that writes there.
  package var replica: ReplicaID
  /// The incarnation of the log; zeros where none is kept.
  package var epoch: [UInt8]
  /// How many heads follow.
  package var headCount: Int
  /// Fields of later versions.
  package var extensions: [CommitHeader.Extension] = []

  /// The versions this build speaks.
  package static let spoken: ClosedRange<UInt8> = 1...1
  /// The most heads a store may have.
  package static let maximumHeadCount = 1_000_000
  private static let magic = Array("varve sync".utf8)

  /// The number of the field that says what is possible besides, and wished for.
  private static let wishesNumber: UInt64 = 2

  /// Whether whole commits can be asked for by name.
  package var givesWhole: Bool { wishes & 1 != 0 }
  /// Whether commits are to come as outlines first.
  package var wantsOutlines: Bool { wishes & 2 != 0 }

  private var wishes: UInt8 {
    extensions.first { $0.number == Self.wishesNumber }?.bytes.first ?? 0
  }

  /// What this build says of itself.
  package init(replica: ReplicaID, headCount: Int, wantsOutlines: Bool = false) {
    versions = Self.spoken
    commitFormat = CommitHeader.formatVersion
    self.replica = replica
    epoch = [UInt8](repeating: 0, count: 16)
    self.headCount = headCount
    let wishes: UInt8 = wantsOutlines ? 3 : 1
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

  /// Reads a hello.
  ///
  /// - Throws: `newerFormat` where the versions do not meet or a field must be understood and is
  ///   not, `damaged` for anything that is no hello.
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
      throw reader.damaged("the other store says it has \(headCount) chains")
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
