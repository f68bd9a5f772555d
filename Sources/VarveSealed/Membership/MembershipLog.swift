package import VarveCore

/// The verified log of the membership of a space.
package struct MembershipLog: Sendable {
  private var line: MembershipLine
  /// The number of every entry by its hash, including entries of joined branches.
  private var numbers: [ContentDigest: Int64]
  private var byteCount: Int

  /// Begins a log.
  ///
  /// - Throws: `VarveError` with code `damaged` if the entry is no valid first entry.
  package init(genesis entry: MembershipEntry) throws {
    line = try MembershipLine(genesis: entry)
    numbers = [entry.hash: 0]
    byteCount = entry.encoded.count
  }

  /// Reads and verifies a log, which is its entries one after another.
  ///
  /// - Throws: `VarveError` with code `damaged`, `forbidden` or `newerFormat`.
  package init(encoded bytes: [UInt8]) throws {
    let limit = SealedLimits.logByteCount
    self = try StrictReading.read(bytes, "a membership log", limit: limit) { reader in
      var log = try MembershipLog(genesis: MembershipEntry(&reader, depth: 0))
      while !reader.isAtEnd { try log.append(MembershipEntry(&reader, depth: 0)) }
      return log
    }
  }

  /// Whether entries other than those of purges have half of the log for themselves.
  var hasRoomForPurges: Bool {
    byteCount < SealedLimits.logByteCount / 2 && numbers.count < SealedLimits.entryCount / 2
  }

  /// The entries one after another.
  package var encoded: [UInt8] { entries.flatMap(\.encoded) }

  /// Verifies an entry and adds it. An entry that is not valid changes nothing.
  ///
  /// - Throws: `VarveError` with code `damaged` or `forbidden`.
  package mutating func append(_ entry: MembershipEntry) throws {
    let size = byteCount + entry.encoded.count
    guard size <= SealedLimits.logByteCount else { throw entry.invalid("the log is too large") }
    guard numbers.count + entry.entryCount <= SealedLimits.entryCount else {
      throw entry.invalid("the log has too many entries")
    }
    var added: [ContentDigest: Int64] = [:]
    try line.append(entry) { entry, _ in added[entry.hash] = entry.number }
    numbers.merge(added) { own, _ in own }
    byteCount = size
  }

  /// The entries in order, without those of joined branches.
  package var entries: [MembershipEntry] { line.entries }

  /// The state after the last entry.
  package var state: MembershipState { line.state }

  /// The hash of the last entry.
  package var head: ContentDigest { entries.last?.hash ?? .zero }

  /// The place of the next entry.
  package var nextPlace: MembershipEntry.Place {
    .init(space: state.space, number: Int64(entries.count), previous: head)
  }

  /// Returns whether an entry is in the log or in a branch that it joined.
  package func contains(_ hash: ContentDigest) -> Bool { numbers[hash] != nil }

  /// Passes every entry, also of joined branches, with the state after it to a closure.
  package func replay(_ visit: (MembershipEntry, MembershipState) throws -> Void) throws {
    guard let first = entries.first else { return }
    var replayed = try MembershipLine(genesis: first)
    try visit(first, replayed.state)
    for entry in entries.dropFirst() {
      try replayed.append(entry, isVerified: true, visit: visit)
    }
  }
}
