import VarveCore

/// The content of the file that a store of a sealed space keeps in a folder, for stores that it never meets:
/// its membership log, signed heads and letters, and the entries that it asks the home to add. Documentation/Protocol.md,
/// "Folders of sealed spaces", has its bytes.
struct Publication: Sendable {
  /// The whole membership log, the signed heads and the letters.
  var letter: SealedLetter
  /// The entries that the home should add after the last one of the letter; nil for none. Only the home
  /// reads them, so that nothing forks.
  var proposal: SealedLetter?

  private static let version: UInt8 = 1

  init(_ letter: SealedLetter) { self.letter = letter }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.counted(letter.encoded)
    writer.counted(proposal?.encoded ?? [])
    return writer.bytes
  }

  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  init(encoded bytes: [UInt8]) throws {
    self = try StrictReading.read(bytes, "a published membership") { reader in
      let version = try reader.byte()
      guard version == Self.version else {
        throw StrictReading.newer("a published membership has version \(version)")
      }
      var publication = Publication(try SealedLetter(encoded: Array(reader.counted())))
      let proposal = Array(try reader.counted())
      if !proposal.isEmpty { publication.proposal = try SealedLetter(encoded: proposal) }
      return publication
    }
  }
}

extension Correspondence {
  mutating func publication(
    after former: [UInt8]?,
    mayWrite: Bool,
    _ desk: any SealedDesk
  ) throws -> [UInt8] {
    meetNobody()
    if mayWrite { try act(desk) }
    let view = try sealing.memberView(at: desk)
    var letter = SealedLetter(try summary(view, desk))
    letter.entries = view?.log.entries.map(\.encoded) ?? []
    letter.signatures = try desk.signatures
    if let view { try addAllReplacements(view, desk, to: &letter) }
    try addEnclosures(desk, to: &letter)
    letter.isDone = true
    belongs(view != nil)
    var publication = Publication(letter)
    if mayWrite, let view {
      let proposed = former.flatMap { try? Publication(encoded: $0).proposal }
      publication.proposal = try bindings(after: letter, proposed, view, desk)
    }
    return publication.encoded
  }

  mutating func take(publication bytes: [UInt8], _ desk: any SealedDesk) throws {
    let publication = try Publication(encoded: bytes)
    meetNobody()
    var letter = publication.letter
    // Entries that are here already say nothing new.
    let wasMember = try !desk.entries.isEmpty
    let own = try sealing.memberView(at: desk)?.log
    if own?.contains(letter.summary.head) ?? false { letter.entries = [] }
    try take(letter, desk)
    if !wasMember, try !desk.entries.isEmpty {
      // Signed heads are verified by the log that has just come.
      letter.entries = []
      try take(letter, desk)
    }
    if let proposal = publication.proposal, try desk.isHome { try take(proposal, desk) }
    belongs(try sealing.memberView(at: desk) != nil)
  }

  /// Returns the entries by which this device binds its replicas, for the home to add.
  ///
  /// All else that it would propose waits until it meets the home, because only the home's answer tells
  /// it what it has to keep.
  ///
  /// - Parameter former: what it proposed the last time. It stays as it is while it is still needed, so
  ///   that publishing twice writes nothing.
  private func bindings(
    after letter: SealedLetter,
    _ former: SealedLetter?,
    _ view: MemberView,
    _ desk: any SealedDesk
  ) throws -> SealedLetter? {
    guard let keeper = sealing.keeper, try !desk.isHome else { return nil }
    let new = try MembershipProposal(
      binding: view,
      keeper,
      milliseconds: sealing.milliseconds(),
      desk
    )
    guard !new.entries.isEmpty else { return nil }
    if let former, former.summary == letter.summary,
      try former.entries.map({ try MembershipEntry(encoded: $0).operation })
        == new.entries.map(\.operation)
    {
      return former
    }
    var proposal = SealedLetter(letter.summary)
    proposal.firstEntry = letter.summary.entryCount
    proposal.entries = new.entries.map(\.encoded)
    return proposal
  }
}
