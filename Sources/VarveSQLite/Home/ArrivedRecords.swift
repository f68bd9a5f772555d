import VarveCore

/// Applies the records of a sealed space that arrive from its home, where this index is a relay's.
///
/// An index that reads all arrivals from the beginning may have some of them. What the home has ordered
/// stands: an entry of the membership log that the home does not have gives way to the one in its place.
struct ArrivedRecords {
  /// The records that arrived, by the hashes of their bytes.
  private(set) var held: Set<ContentDigest> = []
  private let log: LogTables
  /// The number of entries up to the last that arrived; nil before the first record.
  private var entryCount: Int64?
  private let isFromBeginning: Bool
  /// The hash of the record that is arriving.
  private var expected: ContentDigest?
  /// Whether entries arrived since the membership was loaded.
  private var hasNewEntries = false

  /// - Parameter isFromBeginning: whether the arrivals begin with the first, although the index may have
  ///   records.
  init(_ log: LogTables, isFromBeginning: Bool) {
    self.log = log
    self.isFromBeginning = isFromBeginning
  }

  /// Notes that a record arrives.
  mutating func begin(_ arrival: HomeArrival) { expected = arrival.commit.hash }

  /// Applies the record that arrived.
  ///
  /// - Throws: `damaged` if its bytes do not have the hash that its arrival names.
  mutating func add(_ bytes: [UInt8]) throws {
    let digest = ContentDigest.sha256(bytes)
    guard digest == expected else {
      throw log.connection.damaged("a record at the log's home is not that of its arrival")
    }
    guard let sealing = log.sealing else {
      throw VarveError.sealingIsMissing.located(at: log.connection.place)
    }
    if try log.storedKind() == nil { try log.setKind(.relay) }
    held.insert(digest)
    switch try SealedRecord(encoded: bytes) {
    case .entry(let entry):
      let count = try entryCount ?? (isFromBeginning ? 0 : log.entryCount())
      try log.place(entry: entry, at: count)
      entryCount = count + 1
      (hasNewEntries, hasEntries) = (true, true)
    case .home: try log.setMembershipHome(true)
    case .signature(let head): try log.add(sealing.signature(encoded: head))
    case .letter(let kind, let id, let content): try log.keep(kind, id: id, content)
    case .removal(let kind, let id): try log.remove(kind, id: id)
    case .cut(let count):
      try log.cutEntries(to: count)
      entryCount = count
      (hasNewEntries, hasEntries) = (true, true)
    }
  }

  /// Whether any entry of the membership log arrived.
  private(set) var hasEntries = false

  /// Loads the membership if entries arrived. Before it a commit of the space cannot be kept.
  mutating func load() throws {
    // It is loaded once more after the last arrival. Each time costs as much as the log is long.
    guard hasNewEntries, log.view == nil else { return }
    try log.loadView()
    hasNewEntries = false
  }
}
