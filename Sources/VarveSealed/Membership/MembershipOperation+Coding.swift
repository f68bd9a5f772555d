import VarveCore

extension MembershipOperation {
  /// Appends the content of an entry.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .genesis(let mode, let creator, let recovery):
      writer.byte(mode.rawValue)
      writer.raw(creator.bytes)
      writer.raw(recovery.bytes)
    case .add(let member): member.write(to: &writer)
    case .remove(let device, let accepted):
      writer.digest(device.digest)
      writer.heads(accepted)
    case .role(let device, let role, let accepted):
      writer.digest(device.digest)
      writer.byte(role.rawValue)
      writer.heads(accepted)
    case .bind(let replica): writer.replica(replica)
    case .epoch(let epoch): epoch.write(to: &writer)
    case .checkpoint(let heads): writer.heads(heads)
    case .redact(let blocks, let sealed):
      writer.varint(blocks.count)
      for block in blocks {
        writer.commitID(block.name.commit)
        writer.varint(block.name.index)
        writer.digest(block.digest)
      }
      writer.counted(sealed)
    case .compact(let horizon):
      writer.number64(horizon.time.rawValue)
      writer.heads(horizon.frontier.heads.sorted())
    case .join(let branch):
      writer.number64(branch.common)
      writer.heads(branch.accepted)
      writer.varint(branch.entries.count)
      for entry in branch.entries { writer.raw(entry.encoded) }
    }
  }

  /// Reads the content of an entry.
  ///
  /// - Parameter depth: the number of joins around it.
  init(_ kind: Kind, _ reader: inout ByteReader, depth: Int) throws {
    switch kind {
    case .genesis:
      self = .genesis(
        mode: try SpaceMode(&reader),
        creator: try PublicKeys(&reader),
        recovery: try PublicKeys(&reader)
      )
    case .add: self = .add(try NewMember(&reader))
    case .remove: self = .remove(try reader.deviceID(), accepted: try reader.heads())
    case .role:
      self = .role(try reader.deviceID(), try MemberRole(&reader), accepted: try reader.heads())
    case .bind: self = .bind(try reader.replica())
    case .epoch: self = .epoch(try NewEpoch(&reader))
    case .checkpoint: self = .checkpoint(try reader.heads())
    case .redact: self = try Self.redaction(&reader)
    case .compact: self = try Self.compaction(&reader)
    case .join: self = try Self.join(&reader, depth: depth)
    }
  }

  private static func redaction(_ reader: inout ByteReader) throws -> MembershipOperation {
    var blocks: [PurgedBlock] = []
    let limit = SealedLimits.redactedBlockCount
    for _ in 0..<(try reader.count(unit: 82, limit: limit, of: "redacted blocks")) {
      let name = BlockName(commit: try reader.commitID(), index: try reader.number())
      let block = PurgedBlock(name, digest: try reader.digest())
      if let last = blocks.last, last.name >= name {
        throw reader.damaged("blocks are not in rising order")
      }
      blocks.append(block)
    }
    let sealed = Array(try reader.counted())
    guard sealed.count <= SealedRedaction.byteCountLimit else {
      throw reader.damaged("a redaction is too large")
    }
    return .redact(blocks, sealed: sealed)
  }

  private static func compaction(_ reader: inout ByteReader) throws -> MembershipOperation {
    let time = HybridTime(rawValue: Int64(bitPattern: try reader.fixed()))
    return .compact(Horizon(time: time, frontier: Frontier(try reader.heads())))
  }

  private static func join(
    _ reader: inout ByteReader,
    depth: Int
  ) throws -> MembershipOperation {
    guard depth < SealedLimits.joinDepth else { throw reader.damaged("joins stand too deep") }
    let common = try reader.number64()
    let accepted = try reader.heads()
    var entries: [MembershipEntry] = []
    let unit = MembershipEntry.leastByteCount
    for _ in 0..<(try reader.count(unit: unit, limit: SealedLimits.entryCount, of: "entries")) {
      entries.append(try MembershipEntry(&reader, depth: depth + 1))
    }
    return .join(JoinedBranch(after: common, accepted: accepted, entries))
  }
}

extension SpaceMode {
  fileprivate init(_ reader: inout ByteReader) throws {
    let byte = try reader.byte()
    guard let mode = SpaceMode(rawValue: byte) else {
      throw StrictReading.newer("a space has the mode \(byte)")
    }
    self = mode
  }
}

extension MemberRole {
  init(_ reader: inout ByteReader) throws {
    guard let role = MemberRole(rawValue: try reader.byte()) else {
      throw reader.damaged("a role is unknown")
    }
    self = role
  }
}

extension NewMember {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.raw(keys.bytes)
    writer.byte(role.rawValue)
    writer.byte(invitation == nil ? 0 : 1)
    writer.raw(invitation ?? [])
    writer.byte(epochKey == nil ? 0 : 1)
    writer.raw(epochKey?.bytes ?? [])
  }

  fileprivate init(_ reader: inout ByteReader) throws {
    self.init(
      keys: try PublicKeys(&reader),
      role: try MemberRole(&reader),
      invitation: try reader.flag() ? try reader.bytes(16) : nil,
      epochKey: try reader.flag() ? try SealedEpochKey(&reader) : nil
    )
  }
}

extension NewEpoch {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.number64(number)
    writer.digest(commitment)
    writer.varint(earlier.count)
    for epoch in earlier {
      writer.digest(epoch.commitment)
      writer.raw(epoch.sealedKey)
    }
    writer.varint(recipients.count)
    for recipient in recipients {
      writer.digest(recipient.id.digest)
      writer.raw(recipient.key.bytes)
    }
  }

  fileprivate init(_ reader: inout ByteReader) throws {
    let number = try reader.number64()
    let commitment = try reader.digest()
    var earlier: [EarlierEpoch] = []
    for _ in 0..<(try reader.count(unit: EarlierEpoch.byteCount)) {
      earlier.append(try EarlierEpoch(&reader))
    }
    var recipients: [Recipient] = []
    for _ in 0..<(try reader.count(unit: 32 + SealedEpochKey.byteCount)) {
      recipients.append(Recipient(id: try reader.deviceID(), key: try SealedEpochKey(&reader)))
    }
    self.init(
      number: number,
      commitment: commitment,
      earlier: earlier,
      recipients: recipients
    )
  }
}

extension ByteReader {
  fileprivate mutating func flag() throws -> Bool {
    let byte = try byte()
    guard byte <= 1 else { throw damaged("a choice is neither 0 nor 1") }
    return byte == 1
  }
}
