import VarveCore

/// The blocks that the purges of a membership log name, in its order. Logs that are equal have the same, so
/// the number of the first one that a store lacks says what it has.
struct PurgedBlocks: Sendable {
  /// A block that a purge names.
  struct Slot: Sendable {
    let block: BlockName
    /// The entry of the purge.
    let entry: MembershipEntry
    /// The place of the entry.
    let place: Int64
  }

  private(set) var slots: [Slot] = []
  private var places: [ContentDigest: Int64] = [:]

  /// Reads the next entry of a log.
  mutating func add(_ entry: MembershipEntry) {
    let place = Int64(places.count)
    places[entry.hash] = place
    guard case .redact(let blocks, _) = entry.operation else { return }
    slots += blocks.map { Slot(block: $0, entry: entry, place: place) }
  }

  /// Returns the place of the entry with a hash.
  func place(of operation: ContentDigest) -> Int64? { places[operation] }

  /// Returns whether a store needs nothing for a slot: it has a proof of this purge or a later one, and the
  /// block that this says or none.
  func isFilled(_ slot: Slot, _ desk: any SealedDesk) throws -> Bool {
    guard let (proof, isDone) = try desk.purge(of: slot.block), isDone else { return false }
    let operation = try PurgeProof(encoded: proof).operation
    return place(of: operation).map { $0 >= slot.place } ?? false
  }

  /// Returns how many slots are filled before the first that is not.
  ///
  /// - Parameter known: how many are known to be.
  func filledCount(from known: Int64, _ desk: any SealedDesk) throws -> Int64 {
    var count = Int(clamping: known)
    while count < slots.count, try isFilled(slots[count], desk) { count += 1 }
    return Int64(count)
  }
}
