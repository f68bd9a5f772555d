import VarveCore

/// The entries that a device adds to a membership log, in the order in which it signs them.
struct MembershipProposal: Sendable {
  /// The log with the entries.
  private(set) var log: MembershipLog
  private(set) var entries: [MembershipEntry] = []
  /// The requests that are answered, and the answers, by invitation.
  private(set) var confirmations: [(id: [UInt8], content: [UInt8])] = []
  /// The invitations of this device.
  private var invitations: [OpenInvitation]
  /// What the purges among the entries leave of blocks.
  private(set) var replacements: [ResealedBlock] = []
  /// The letters that are done with.
  private(set) var done: [(kind: SealedLetterKind, id: [UInt8])] = []

  private let device: Signer
  private let milliseconds: Int64
  private var keyring: EpochKeyring
  private let view: MemberView
  /// The heads of the last checkpoint among the entries.
  private var final: [CommitID] = []
  /// What the purges among the entries redact.
  private var purged: [Redaction] = []

  /// Signs what this device has to add.
  ///
  /// - Throws: what the desk throws. A change that is not valid any more is dropped.
  init(
    _ view: MemberView,
    _ keeper: DeviceKeeper,
    milliseconds: Int64,
    mayPurge: Bool,
    _ desk: any SealedDesk
  ) throws {
    self = try MembershipProposal(binding: view, keeper, milliseconds: milliseconds, desk)
    guard log.state.role(of: device.id) == .admin else {
      // What it asked for as an admin is not valid any more.
      done += try desk.letters(.intent).map { (.intent, $0.id) }
      return
    }
    try admit(desk)
    try change(mayPurge: mayPurge, desk)
    // A removal ends the epoch. Nobody writes until the next one begins.
    if log.state.epochInForce == nil { beginEpoch() }
  }

  /// Signs what binds this device's replicas to it, and nothing else.
  init(
    binding view: MemberView,
    _ keeper: DeviceKeeper,
    milliseconds: Int64,
    _ desk: any SealedDesk
  ) throws {
    log = view.log
    keyring = view.keyring
    self.view = view
    device = keeper.device
    self.milliseconds = milliseconds
    invitations = try keeper.invitations(to: view.space)
    guard let role = log.state.role(of: device.id), role >= .writer else { return }
    for replica in try desk.replicas.sorted() where log.state.replicas[replica] == nil {
      add(.bind(replica))
    }
  }

  var isEmpty: Bool { entries.isEmpty && done.isEmpty }

  /// Adds an entry. Returns nil if it is not valid here.
  @discardableResult
  private mutating func add(_ operation: MembershipOperation) -> MembershipEntry? {
    guard
      let entry = try? log.append(operation, milliseconds: milliseconds, signedBy: device)
    else { return nil }
    entries.append(entry)
    return entry
  }

  private mutating func beginEpoch() {
    guard let (operation, key) = try? log.nextEpoch(with: keyring), add(operation) != nil else {
      return
    }
    keyring.add(key)
  }

  /// Adds the devices that ask with an invitation of this device.
  private mutating func admit(_ desk: any SealedDesk) throws {
    for letter in try desk.letters(.request) {
      guard let request = try? JoinRequest(encoded: letter.content),
        let place = invitations.firstIndex(where: { $0.invitation.id == request.terms.invitation })
      else { continue }
      done.append((.request, letter.id))
      let count = log.entries.count
      guard
        let confirmation = try? invitations[place].admit(
          request,
          to: &log,
          with: keyring,
          milliseconds: milliseconds,
          signedBy: device
        )
      else { continue }
      entries += log.entries[count...]
      confirmations.append((letter.id, confirmation.encoded))
    }
  }

  /// Makes the changes that this device was asked for.
  private mutating func change(mayPurge: Bool, _ desk: any SealedDesk) throws {
    for letter in try desk.letters(.intent) {
      var isDone = true
      switch try MembershipIntent(encoded: letter.content) {
      case .remove(let id):
        add(.remove(id, accepted: try accepted(of: id, desk)))
      case .role(let id, let role):
        add(.role(id, role, accepted: role == .reader ? try accepted(of: id, desk) : []))
      case .rotate: beginEpoch()
      case .purge(let redactions): isDone = try mayPurge && purge(redactions, desk)
      case .compact(let time): isDone = try mayPurge && compact(upTo: time, desk)
      }
      if isDone { done.append((.intent, letter.id)) }
    }
  }

  // MARK: Purges

  /// The size of the blocks that one proposal replaces, and of those of one entry, in bytes.
  private static let (replacedByteCount, entryByteCount) = (24 << 20, 8 << 20)
  /// The approximate size of the redactions of an entry, in bytes.
  private static let redactionByteCount = SealedLimits.redactionByteCount / 2

  /// Destroys cells, as many as one proposal may. Nothing is to be done for cells that are not here.
  ///
  /// - Returns: whether all are done.
  private mutating func purge(_ redactions: [Redaction], _ desk: any SealedDesk) throws -> Bool {
    var size = replacements.reduce(0) { $0 + $1.stored.count }
    guard size < Self.replacedByteCount else { return false }
    // A removal before it has ended the epoch.
    if log.state.epochInForce == nil { beginEpoch() }
    let named = Dictionary(grouping: redactions, by: \.commit)
    // Blocks may still be here as they were before an earlier purge.
    let earlier = Dictionary(
      grouping: view.redactions(of: Set(named.keys)) + purged,
      by: \.commit
    )
    var blocks: [ResealedBlock] = []
    for (commit, redactions) in named.sorted(by: { $0.key < $1.key }) {
      guard size < Self.replacedByteCount else { break }
      let resealed = try desk.resealed(
        without: redactions,
        and: earlier[commit] ?? [],
        atMost: Self.replacedByteCount - size
      )
      blocks += resealed
      size += resealed.reduce(0) { $0 + $1.stored.count }
    }
    guard !blocks.isEmpty else { return true }
    guard log.hasRoomForPurges, try checkpoint(desk.heads(among: blocks.map(\.name.commit)), desk),
      try redact(blocks, desk)
    else { return false }
    return size < Self.replacedByteCount
  }

  /// Folds history. What superseded the folded cells is below the checkpoint too.
  private mutating func compact(upTo time: HybridTime, _ desk: any SealedDesk) throws -> Bool {
    guard log.hasRoomForPurges else { return false }
    let (redactions, horizon) = try desk.foldable(upTo: time)
    guard !redactions.isEmpty else { return true }
    guard try checkpoint(horizon.frontier.heads, desk),
      add(.compact(horizon)) != nil
    else { return false }
    return try purge(redactions, desk)
  }

  /// States that commits and all below them are final, unless an entry before has.
  private mutating func checkpoint(_ heads: [CommitID], _ desk: any SealedDesk) throws -> Bool {
    let above = try desk.heads(among: final + heads)
    guard !Set(above).isDisjoint(with: Set(heads).subtracting(final)) else { return true }
    final = heads
    return add(.checkpoint(heads)) != nil
  }

  /// Adds the entries that replace blocks. Returns false if one is not valid.
  private mutating func redact(_ blocks: [ResealedBlock], _ desk: any SealedDesk) throws -> Bool {
    var part: [ResealedBlock] = []
    var (size, redactedSize) = (0, 0)
    for block in blocks {
      let isChunk = block.redaction == nil
      let isFull =
        size >= Self.entryByteCount || redactedSize >= Self.redactionByteCount
        || part.count >= SealedLimits.redactedBlockCount / 2
      // A block and the chunks of its value are replaced together.
      if isFull, !isChunk {
        guard try addRedaction(part, desk) else { return false }
        (part, size, redactedSize) = ([], 0, 0)
      }
      part.append(block)
      size += block.stored.count
      redactedSize += block.redaction?.byteCount ?? 0
    }
    return try part.isEmpty || addRedaction(part, desk)
  }

  private mutating func addRedaction(
    _ blocks: [ResealedBlock],
    _ desk: any SealedDesk
  ) throws -> Bool {
    guard let epoch = log.state.epochInForce else { return false }
    let redactions = blocks.compactMap(\.redaction)
    var random = Randomness()
    let place = log.nextPlace
    let sealed = try SealedRedaction.seal(
      redactions.encoded,
      number: place.number,
      previous: place.previous,
      under: keyring.key(for: epoch),
      using: &random
    )
    let left = blocks.map(\.purged).sorted { $0.name < $1.name }
    guard add(.redact(left, sealed: sealed)) != nil else { return false }
    replacements += blocks
    purged += redactions
    return true
  }

  /// Returns the newest commits of a device that count here.
  private func accepted(of device: DeviceID, _ desk: any SealedDesk) throws -> [CommitID] {
    try desk.acceptedHeads(
      of: Set(log.state.replicas.filter { $0.value == device }.keys)
    )
  }
}
