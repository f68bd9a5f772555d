import VarveCore

/// An exchange of the membership, signed heads, and letters of those who join, with another log.
///
/// The home orders the entries. Any other side that has something to add signs it on top of what the
/// home has, and keeps it once the home has taken it. So nothing forks by accident.
struct Correspondence: SealedCorrespondence {
  let sealing: DeviceSealing
  /// The last summary that the other side sent.
  private(set) var peer: SealedLetter.Summary?
  /// The entries, signatures and letters that both sides have. They are not sent again.
  private var exchanged: Set<[UInt8]> = []
  /// The summary with which entries were sent last.
  private var answered: Answered?
  /// The entries that this device proposed to the home.
  private(set) var proposal: MembershipProposal?
  /// The other side's log, as far as it was shown to this log, which has none.
  var shown: [[UInt8]] = []
  /// The last summary that this side sent.
  private var said: SealedLetter.Summary?
  private var isDone = false
  private var isPeerDone = false
  var hasLog = false
  /// The id that the store had before it joined the space.
  var joinedFrom: SpaceID?
  /// What the other side has, as it says in a request.
  private let known: Set<KnownPart>
  /// Whether the other side may give a relay its first membership.
  let mayBegin: Bool
  /// Whether there is another side, which has not said yet what it has.
  let isMeeting: Bool
  /// The number of letters that the other side sent.
  private var letterCount = 0
  /// The blocks that pass from side to side because they were purged.
  var replacing = Replacing()
  /// How much has passed in either direction. An exchange in which it grows goes on.
  var progress: Int { progressCount + replacing.count }
  private var progressCount = 0

  /// Entries that were sent, by what both sides had.
  private struct Answered: Hashable {
    let head: ContentDigest
    let peer: SealedLetter.Summary
  }

  /// - Parameter isMeeting: whether there is another side that replies to messages.
  init(_ sealing: DeviceSealing, isMeeting: Bool) {
    self.sealing = sealing
    (known, mayBegin, self.isMeeting) = ([], true, isMeeting)
  }

  /// Begins the one round of a side that keeps nothing between two rounds.
  init(
    _ sealing: DeviceSealing,
    answering request: SealedRequest,
    mayBegin: Bool,
    _ desk: any SealedDesk
  ) throws {
    self.sealing = sealing
    (known, self.mayBegin, isMeeting) = (request.known, mayBegin, true)
    said = try summary(sealing.memberView(at: desk), desk)
  }

  var hasEnded: Bool { isDone && isPeerDone }

  var belongsToSpace: Bool { hasLog }

  var mayExchangeCommits: Bool { hasLog && peer.map { $0.entryCount > 0 } ?? false }

  // MARK: Writing

  mutating func message(_ desk: any SealedDesk) throws -> [UInt8] {
    try act(desk)
    dropUnorderedProposal()
    let view = try sealing.memberView(at: desk)
    hasLog = view != nil
    var letter = SealedLetter(try summary(view, desk))
    if let view, let peer { addEntries(proposal?.log ?? view.log, peer, to: &letter) }
    // The other side verifies signatures by the entries that they name.
    if let view, peer?.head == view.log.head {
      for signature in try desk.signatures where !isKnown(signature) {
        if exchanged.insert(signature).inserted { letter.signatures.append(signature) }
      }
    }
    if let view { try addReplacements(view, desk, to: &letter) }
    try addEnclosures(desk, to: &letter)
    // A side whose log has just changed lets the other see that first.
    isDone = peer != nil && letter.isEmpty && proposal == nil && said == letter.summary
    said = letter.summary
    letter.isDone = isDone
    return letter.encoded
  }

  mutating func request(_ desk: any SealedDesk) throws -> [UInt8] {
    let message = try message(desk)
    var parts = exchanged.union(try desk.signatures)
    for kind in [SealedLetterKind.request, .confirmation] {
      parts.formUnion(try desk.letters(kind).map(\.content))
    }
    if let last = shown.last { parts.insert(last) }
    // It would ask for them again.
    parts.formUnion(replacing.unavailable.prefix(SealedLimits.headCount).map(\.bytes))
    return SealedRequest(message: message, known: Set(parts.map(KnownPart.init(of:)))).encoded
  }

  func isKnown(_ part: [UInt8]) -> Bool {
    !known.isEmpty && known.contains(KnownPart(of: part))
  }

  /// Gives up the entries that this device proposed.
  mutating func dropProposal() { (proposal, replacing.proposedCount) = (nil, 0) }

  /// Forgets the side that was met last, before the publication of another is read.
  mutating func meetNobody() {
    (peer, proposal) = (nil, nil)
    (shown, exchanged) = ([], [])
    letterCount = 0
    replacing.begin()
  }

  /// Says whether this side belongs to a space, after a publication.
  mutating func belongs(_ belongs: Bool) { hasLog = belongs }

  /// Does what this side can do by itself.
  mutating func act(_ desk: any SealedDesk) throws {
    guard let view = try sealing.memberView(at: desk), let keeper = sealing.keeper else { return }
    // What is remembered was committed before. A store that was restored from an older copy gets what
    // it lacks in this exchange.
    try keeper.remember(view.log)
    if let place = joinedFrom {
      try keeper.endJoining(at: place)
      joinedFrom = nil
    }
    if let peer, peer.isRelay, peer.isHome, try desk.isHome, view.log.contains(peer.head) {
      // A relay, which all others meet, has become the home.
      try desk.setHome(false)
    }
    try desk.signOwnCommits()
    let isHome = try desk.isHome
    let mayPropose = peer.map { $0.isHome && $0.head == view.log.head } ?? false
    // A home that was restored from an older copy first gets what it lacks.
    let isBehind = peer.map { $0.entryCount > view.log.entries.count } ?? isMeeting
    guard isHome && !isBehind || (mayPropose && proposal == nil) else { return }
    // What an earlier purge left comes first, so that no purge is made twice.
    let mayPurge = try !isMeeting || !replacing.isOver && !mayGetReplacements(view, desk)
    let new = try MembershipProposal(
      view,
      keeper,
      milliseconds: sealing.milliseconds(),
      mayPurge: mayPurge,
      desk
    )
    if isHome || new.entries.isEmpty {
      if !new.isEmpty { try adopt(new, desk) }
    } else {
      proposal = new
    }
  }

  func summary(
    _ view: MemberView?,
    _ desk: any SealedDesk
  ) throws -> SealedLetter.Summary {
    SealedLetter.Summary(
      space: try desk.space,
      entryCount: Int64(view?.log.entries.count ?? 0),
      head: view?.log.head ?? .zero,
      isHome: try desk.isHome,
      isRelay: sealing.keeper == nil
    )
  }

  /// Adds the entries that follow the other side's last one, once.
  private mutating func addEntries(
    _ log: MembershipLog,
    _ peer: SealedLetter.Summary,
    to letter: inout SealedLetter
  ) {
    guard let count = Self.firstEntry(of: log, for: peer) else { return }
    guard let last = log.entries.last, !isKnown(last.encoded) else { return }
    let state = Answered(head: log.head, peer: peer)
    guard answered != state else { return }
    answered = state
    letter.firstEntry = Int64(count)
    letter.entries = log.entries[count...].map(\.encoded)
    letter.replacements = proposal?.replacements.map(\.stored) ?? []
    letter.isProposal = proposal != nil
    progressCount += letter.entries.count
  }

  /// Returns the number of the first entry that the other side lacks: all, if its branch was joined.
  /// Nil if it lacks none, or has another branch.
  private static func firstEntry(of log: MembershipLog, for peer: SealedLetter.Summary) -> Int? {
    let count = Int(peer.entryCount)
    if count < log.entries.count, count == 0 || log.entries[count - 1].hash == peer.head {
      return count
    }
    guard log.contains(peer.head), !log.entries.contains(where: { $0.hash == peer.head }) else {
      return nil
    }
    return 0
  }

  mutating func addEnclosures(
    _ desk: any SealedDesk,
    to letter: inout SealedLetter
  ) throws {
    for kind in [SealedLetterKind.request, .confirmation] {
      for (id, content) in try desk.letters(kind).suffix(SealedLetter.enclosureLimit / 2)
      where !isKnown(content) && exchanged.insert(content).inserted {
        letter.enclosures.append(.init(kind: kind, id: id, content: content))
      }
    }
  }

  // MARK: Reading

  mutating func take(_ message: [UInt8], _ desk: any SealedDesk) throws {
    try take(SealedLetter(encoded: message), desk)
  }

  mutating func take(_ letter: SealedLetter, _ desk: any SealedDesk) throws {
    peer = letter.summary
    letterCount += 1
    isPeerDone = letter.isDone
    exchanged.formUnion(letter.signatures)
    exchanged.formUnion(letter.enclosures.map(\.content))
    guard let view = try sealing.memberView(at: desk) else { return try meet(letter, desk) }
    guard letter.summary.entryCount > 0 else {
      return try keep(letter.enclosures, view.log, desk)
    }
    guard letter.summary.space == view.space else { throw Self.otherSpace(letter.summary.space) }
    try take(entriesOf: letter, view.log, desk)
    guard let view = try sealing.memberView(at: desk) else { return }
    // An answer to a request may come with the entries that it is about.
    try keep(letter.enclosures, view.log, desk)
    try becomeHome(after: letter.summary, view.log, desk)
    try settleProposal(view.log, desk)
    try removeAnsweredRequests(view.log, desk)
    try take(replacementsOf: letter, view, desk)
    replacing.asked = letter.wanted
    let hasNew = try take(signaturesOf: letter, view, desk)
    if hasNew || !letter.entries.isEmpty { try desk.settle() }
  }

  /// Takes entries that follow those of this log.
  private mutating func take(
    entriesOf letter: SealedLetter,
    _ own: MembershipLog,
    _ desk: any SealedDesk
  ) throws {
    var log = own
    let count = Int64(own.entries.count)
    let peer = letter.summary
    // This side has joined the other's branch, and gives it the whole log.
    if own.contains(peer.head), !own.entries.contains(where: { $0.hash == peer.head }) { return }
    if try take(joining: letter, own, desk) { return }
    if peer.entryCount <= count, own.entries[Int(peer.entryCount) - 1].hash != peer.head {
      // The other side may have joined this branch, which it learns from this side's letter.
      guard letter.isDone || letterCount > 1 else { return }
      throw Self.fork(own)
    }
    let follows = letter.firstEntry <= count && !letter.entries.isEmpty
    guard follows else {
      // It has more entries and does not send them: this log's last one is none of them.
      if letter.isDone, isDone, peer.entryCount > count { throw Self.fork(own) }
      return
    }
    let known = Int(count - letter.firstEntry)
    guard known == 0 || Self.agree(letter, own, upTo: known) else {
      // The home ordered another entry first. Who proposed this one will sign it anew.
      if try desk.isHome { return }
      throw Self.fork(own)
    }
    let new = Array(letter.entries.dropFirst(known))
    for entry in new { try log.append(MembershipEntry(encoded: entry)) }
    guard !new.isEmpty else { return }
    // Nobody else has what is left of the blocks that new entries purge.
    if letter.isProposal, try desk.isHome,
      try !brings(letter, log.entries[own.entries.count...], desk)
    {
      return
    }
    progressCount += new.count
    try sealing.keeper?.verify(log)
    try desk.add(new)
    let recovery = log.state.recovery.id
    if log.entries.dropFirst(own.entries.count).contains(where: { $0.signer == recovery }) {
      try giveWay(desk)
    }
  }

  /// Takes a whole log that has joined the branch of this one. Returns whether there is such a log.
  private mutating func take(
    joining letter: SealedLetter,
    _ own: MembershipLog,
    _ desk: any SealedDesk
  ) throws -> Bool {
    guard letter.firstEntry == 0, !letter.entries.isEmpty,
      Int64(letter.entries.count) == letter.summary.entryCount
    else { return false }
    // A log that goes on from this one is verified below, and only once.
    let place = own.entries.count - 1
    guard place >= letter.entries.count || letter.entries[place] != own.entries[place].encoded
    else {
      return false
    }
    // Verifying a log costs much, and anybody may send one.
    guard letter.entries.first == own.entries.first?.encoded,
      letter.entries.contains(where: Self.isJoin)
    else { return false }
    let log = try MembershipLog(encoded: Array(letter.entries.joined()))
    let isPrefix = log.entries.contains { $0.hash == own.head }
    guard log.state.genesis == own.state.genesis, log.contains(own.head), !isPrefix else {
      return false
    }
    try sealing.keeper?.verify(log)
    // The other side chose where its parts begin and end.
    try desk.replace(with: log.entries.map(\.encoded))
    try giveWay(desk)
    return true
  }

  private static func isJoin(_ entry: [UInt8]) -> Bool {
    (try? MembershipEntry(encoded: entry))?.operation.isJoin ?? false
  }

  /// Ends that a member's store is the home: the recovery key has made another one the home.
  private func giveWay(_ desk: any SealedDesk) throws {
    if sealing.keeper != nil, try desk.isHome { try desk.setHome(false) }
  }

  private static func agree(_ letter: SealedLetter, _ own: MembershipLog, upTo known: Int) -> Bool {
    let first = Int(letter.firstEntry)
    guard known <= letter.entries.count else { return false }
    return (0..<known).allSatisfy { own.entries[first + $0].encoded == letter.entries[$0] }
  }

  /// Keeps what this device proposed, once the home has it.
  private mutating func settleProposal(_ log: MembershipLog, _ desk: any SealedDesk) throws {
    guard let proposal, let peer else { return }
    if peer.head == proposal.log.head {
      dropProposal()
      try adopt(proposal, desk)
    } else if !proposal.log.contains(log.head) {
      // The home ordered another entry first.
      dropProposal()
    }
  }

  private mutating func adopt(_ proposal: MembershipProposal, _ desk: any SealedDesk) throws {
    let count = try desk.entries.count
    let new = proposal.log.entries.dropFirst(count).map(\.encoded)
    try sealing.keeper?.verify(proposal.log)
    try desk.add(new)
    for block in proposal.replacements { _ = try desk.replace(block.purged, by: block.stored) }
    if !proposal.replacements.isEmpty, try desk.letters(.intent).count <= proposal.done.count {
      try desk.destroyReplacedBytes()
    }
    for (id, content) in proposal.confirmations { try desk.keep(.confirmation, id: id, content) }
    for (kind, id) in proposal.done { try desk.remove(kind, id: id) }
    if !new.isEmpty { try desk.settle() }
  }

  /// Takes signed heads that are valid. Returns whether one is new.
  private func take(
    signaturesOf letter: SealedLetter,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> Bool {
    let known = Set(try desk.signatures)
    let heads = letter.signatures.filter { !known.contains($0) }
      .compactMap { try? SignedHead(encoded: $0) }
    let valid = try view.valid(heads)
    for head in valid {
      try desk.add(SealedSignature(commit: head.commit, encoded: head.encoded))
    }
    return !valid.isEmpty
  }

  private func removeAnsweredRequests(_ log: MembershipLog, _ desk: any SealedDesk) throws {
    for (id, _) in try desk.letters(.request) where log.state.usedInvitations.contains(id) {
      try desk.remove(.request, id: id)
    }
  }

  /// Keeps the letters of those who join for whom they are meant.
  private func keep(
    _ enclosures: [SealedLetter.Enclosure],
    _ log: MembershipLog,
    _ desk: any SealedDesk
  ) throws {
    for enclosure in enclosures {
      let isUsed = log.state.usedInvitations.contains(enclosure.id)
      // A request is of no use once it was answered, and an answer before.
      guard (enclosure.kind == .request) != isUsed else { continue }
      guard try desk.letters(enclosure.kind).count < SealedLetter.enclosureLimit else { continue }
      try desk.keep(enclosure.kind, id: enclosure.id, enclosure.content)
    }
  }
}

extension Correspondence {
  fileprivate static func fork(_ own: MembershipLog) -> VarveError {
    VarveError(
      .readOnly,
      "the membership has forked: the other side lacks entries that this one has, or has others",
      at: "membership of space \(own.state.space)",
      remedy: "Join both branches with the recovery key."
    )
  }
}
