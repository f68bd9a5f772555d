import VarveCore

/// Hashes of what rows say, which stand in the rows. `varve home check` finds by them what something
/// else than a host has changed, where no hash of a commit covers it.
enum RowSeal {
  /// The seal of an arrival, with what only its row says: who handed it over.
  static func of(
    _ arrival: HomeArrival,
    at position: HomePosition,
    in space: SpaceID,
    blockCount: Int64,
    byteCount: Int64
  ) -> Int64 {
    sealed { writer in
      writer.id(space)
      writer.number(position.number)
      writer.number(position.running)
      writer.byte(arrival.kind.rawValue)
      writer.id(arrival.commit.replica)
      writer.number(arrival.commit.sequence)
      writer.digest(arrival.commit.hash)
      writer.number(blockCount)
      writer.number(byteCount)
      writer.byte(arrival.principal == nil ? 0 : 1)
      writer.raw(Array((arrival.principal ?? "").utf8))
    }
  }

  /// The seal of a redacted block, whose digest is that of its former content; nil for another.
  static func of(_ block: Block, at index: Int64) -> Int64? {
    guard block.isRedacted else { return nil }
    return sealed { writer in
      writer.number(index)
      writer.digest(block.digest)
      writer.raw(block.stored)
    }
  }

  /// The seal of a space.
  static func of(_ head: HomeHead, of space: SpaceID) -> Int64 {
    sealed { writer in
      writer.id(space)
      writer.number(head.position.incarnation)
      writer.number(head.position.number)
      writer.number(head.position.running)
      writer.id(head.replica)
      // Seals of open spaces are from before there were others.
      if head.format != HomeHead.format { writer.number(Int64(head.format)) }
    }
  }

  /// The seal of a note.
  static func of(_ note: HomeNote) -> Int64 {
    sealed { writer in
      for text in [note.kind, note.name, note.text] {
        writer.number(Int64(text.utf8.count))
        writer.raw(Array(text.utf8))
      }
    }
  }

  private static func sealed(_ write: (inout ByteWriter) -> Void) -> Int64 {
    var writer = ByteWriter(capacity: 160)
    write(&writer)
    let hash = ContentDigest.sha256(writer.bytes).bytes
    return Int64(bitPattern: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}

extension ByteWriter {
  fileprivate mutating func number(_ value: Int64) { fixed(UInt64(bitPattern: value)) }

  fileprivate mutating func id(_ space: SpaceID) {
    fixed(space.high)
    fixed(space.low)
  }

  fileprivate mutating func id(_ replica: ReplicaID) {
    fixed(replica.high)
    fixed(replica.low)
  }
}
