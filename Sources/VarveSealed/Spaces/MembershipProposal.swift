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
  /// The blocks that the purges among the entries replace, with the proofs.
  private(set) var replacements: [(proof: PurgeProof, stored: [UInt8])] = []
  /// The letters that are done with.
  private(set) var done: [(kind: SealedLetterKind, id: [UInt8])] = []

  private let device: Signer
  private let milliseconds: Int64
  private var keyring: EpochKeyring
  private let view: MemberView
  /// What the purges among the entries redact.
  private var purged: [Redaction] = []

  /// Signs what this device has to add.
  ///
  /// - Throws: what the desk throws. A change that is not valid any more is dropped.
  init(
    _ view: MemberView,
    _ keeper: DeviceKeeper,
    milliseconds: Int64,
    _ desk: any SealedDesk
  ) throws {
    self = try MembershipProposal(binding: view, keeper, milliseconds: milliseconds, desk)
    guard log.state.role(of: device.id) == .admin else {
      // What it asked for as an admin is not valid any more.
      done += try desk.letters(.intent).map { (.intent, $0.id) }
      return
    }
    try admit(desk)
    try change(desk)
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
  private mutating func change(_ desk: any SealedDesk) throws {
    for letter in try desk.letters(.intent) {
      var isDone = true
      switch try MembershipIntent(encoded: letter.content) {
      case .remove(let id):
        add(.remove(id, accepted: try accepted(of: id, desk)))
      case .role(let id, let role):
        add(.role(id, role, accepted: role == .reader ? try accepted(of: id, desk) : []))
      case .rotate: beginEpoch()
      case .purge(let redactions): isDone = try purge(redactions, desk)
      case .compact(let horizon, let redactions):
        isDone = try compact(upTo: horizon, redactions, desk)
      }
      if isDone { done.append((.intent, letter.id)) }
    }
  }

  /// Destroys cells. What has no block with any of them here needs no entry.
  ///
  /// - Returns: whether the entries are valid. A purge whose entries are not stays proposed.
  private mutating func purge(_ redactions: [Redaction], _ desk: any SealedDesk) throws -> Bool {
    // A removal before it has ended the epoch.
    if log.state.epochInForce == nil { beginEpoch() }
    for part in PurgeParts(redactions) {
      // A later purge of a block must leave out what earlier ones did, whether or not they came here.
      let commits = Set(part.map(\.commit))
      let earlier = view.redactions(of: commits) + purged.filter { commits.contains($0.commit) }
      let blocks = try desk.resealed(part + earlier)
      purged += part
      for start in stride(from: 0, to: blocks.count, by: SealedLimits.redactedBlockCount) {
        let end = min(start + SealedLimits.redactedBlockCount, blocks.count)
        guard try purge(Array(blocks[start..<end]), part, desk) else { return false }
      }
    }
    return true
  }

  /// Folds history. What superseded the folded cells is below the checkpoint too, so that it counts for ever.
  private mutating func compact(
    upTo horizon: Horizon,
    _ redactions: [Redaction],
    _ desk: any SealedDesk
  ) throws -> Bool {
    guard add(.checkpoint(horizon.frontier.heads)) != nil, add(.compact(horizon)) != nil else {
      return false
    }
    return try purge(redactions, desk)
  }

  private mutating func purge(
    _ blocks: [ResealedBlock],
    _ redactions: [Redaction],
    _ desk: any SealedDesk
  ) throws -> Bool {
    guard let epoch = log.state.epochInForce else { return false }
    let heads = try desk.heads(among: blocks.map(\.name.commit))
    let isFinal = log.state.checkpoints.values.contains { Set($0).isSuperset(of: heads) }
    guard isFinal || add(.checkpoint(heads)) != nil else { return false }
    var random = Randomness()
    let place = log.nextPlace
    let sealed = try SealedRedaction.seal(
      redactions.encoded,
      number: place.number,
      previous: place.previous,
      under: keyring.key(for: epoch),
      using: &random
    )
    guard let entry = add(.redact(blocks.map(\.name).sorted(), sealed: sealed)) else {
      return false
    }
    for block in blocks {
      let proof = try PurgeProof(
        replacing: block.name,
        oldDigest: block.digest,
        with: block.stored,
        by: entry.hash,
        space: log.state.space,
        signedBy: device
      )
      replacements.append((proof, block.stored))
    }
    return true
  }

  /// Returns the newest commits of a device that count here.
  private func accepted(of device: DeviceID, _ desk: any SealedDesk) throws -> [CommitID] {
    try desk.acceptedHeads(
      of: Set(log.state.replicas.filter { $0.value == device }.keys)
    )
  }
}
