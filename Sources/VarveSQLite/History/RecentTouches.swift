import VarveCore

/// The most recently written touches, which are not in `varve_touch` yet.
///
/// If each touch were inserted by itself, it would dirty a page of its own. So a transaction writes
/// its touches as one row of `varve_recent_touch`, in the order in which they were made, and
/// thousands are sorted in at once. Until then an index in memory finds them; it is built on the
/// first lookup.
struct RecentTouches {
  struct Entry: Comparable, Hashable {
    var row: Int64
    var key: Int64
    var time: Int64
    var block: Int64
    var ordinal: Int64

    static func < (left: Entry, right: Entry) -> Bool {
      if left.row != right.row { return left.row < right.row }
      if left.key != right.key { return left.key < right.key }
      if left.time != right.time { return left.time < right.time }
      if left.block != right.block { return left.block < right.block }
      return left.ordinal < right.ordinal
    }
  }

  private var list = TouchList()
  private var chains = TouchChains()
  /// The bounds of the table's rows at the data version below.
  private(set) var bounds = Bounds()
  private(set) var version: UInt32?
  /// Whether the table is known to exist. A store from before this table existed gets it when it is
  /// needed.
  var hasTable = false
  /// The last row whose touches are in `stored`.
  private(set) var loadedThrough: Int64?

  /// The first and last row of the table, and the number of touches in all rows.
  struct Bounds: Equatable {
    var first: Int64 = 0
    var last: Int64 = 0
    var count = 0
  }

  /// The number of touches that are sorted in at once, which share the cost.
  var capacity: Int

  /// The number of touches that one statement inserts.
  static let groupCount = 16

  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// The table's touches, as far as they were loaded.
  var stored: [Entry] { list.stored }
  /// The touches of the open transaction.
  var pending: [Entry] { list.pending }
  var pendingCount: Int { list.pending.count }

  /// Whether all touches of the table are in `stored`.
  var isLoaded: Bool { loadedThrough == bounds.last }

  /// Discards everything after the open transaction was rolled back or the table was created again.
  mutating func forget() { self = RecentTouches(capacity: capacity) }

  var hasAny: Bool { !list.pending.isEmpty || bounds.count > 0 }

  mutating func add(_ entry: Entry) { list.pending.append(entry) }

  /// Records the bounds of the table at a data version, and discards what is out of date.
  mutating func note(_ bounds: Bounds, version: UInt32) {
    if bounds.first != self.bounds.first || bounds.last < loadedThrough ?? bounds.first {
      forgetStored()
    }
    self.bounds = bounds
    self.version = version
  }

  /// Adds the touches of the rows after the loaded ones, up to the last row.
  mutating func load(_ entries: [Entry]) {
    if list.stored.isEmpty { list.stored = entries } else { list.stored += entries }
    loadedThrough = bounds.last
  }

  /// Records that the open transaction's touches were stored as a row.
  mutating func noteStored(as number: Int64) {
    let wasLoaded = isLoaded
    if bounds.first == 0 { bounds.first = number }
    bounds.last = number
    bounds.count += pendingCount
    if wasLoaded { load(pending) } else { chains.removeAll() }
    list.pending.removeAll(keepingCapacity: true)
  }

  /// Records that all touches were sorted in. An empty row remains.
  mutating func noteSortedIn(number: Int64) {
    forgetStored()
    list.pending.removeAll(keepingCapacity: true)
    bounds = Bounds(first: number, last: number)
    loadedThrough = number
  }

  /// Records that another connection may have changed the table.
  mutating func expire() { version = nil }

  /// Records that the open transaction was committed. Bounds that were unknown stay unknown.
  mutating func noteCommitted(version: UInt32) { if self.version != nil { self.version = version } }

  private mutating func forgetStored() {
    list.stored.removeAll()
    loadedThrough = nil
    chains.removeAll()
  }

  // MARK: Looking up

  /// Returns the place of a property's latest touch that is not later than a time.
  mutating func latest(row: Int64, key: Int64, notAfter limit: Int64) -> Int32? {
    chains.extend(over: list)
    var place = chains.latest(row: row, key: key, in: list)
    while let found = place, list[found].time > limit { place = chains.earlier(than: found) }
    return place
  }

  /// Returns the place of a property's first touch after a time.
  mutating func next(row: Int64, key: Int64, after time: Int64) -> Int32? {
    chains.extend(over: list)
    var next: Int32?
    var place = chains.latest(row: row, key: key, in: list)
    while let found = place, list[found].time > time {
      next = found
      place = chains.earlier(than: found)
    }
    return next
  }

  /// Returns the place of the next earlier touch of the same property.
  func earlier(than place: Int32) -> Int32? { chains.earlier(than: place) }

  /// Returns the keys of an entity's touches, in no order.
  mutating func keys(row: Int64) -> [Int64] {
    chains.extend(over: list)
    return chains.latest(ofRow: row, in: list).map { list[$0].key }
  }

  subscript(place: Int32) -> Entry { list[place] }
}

// MARK: - Invariants

extension RecentTouches {
  /// Returns which invariant does not hold, or nil.
  ///
  /// - Complexity: O(touches)
  var brokenInvariant: String? {
    if loadedThrough ?? 0 > bounds.last { return "touches are loaded beyond the last row" }
    if isLoaded, stored.count != bounds.count { return "not all loaded touches are in memory" }
    if !hasTable, bounds.last > 0 { return "there are rows and no table" }
    return chains.brokenInvariant(list)
  }
}

// MARK: - A row's bytes

extension RecentTouches {
  /// Encodes the number of touches, then each of their numbers as the difference from the previous
  /// touch, as signed varints.
  static func encode(_ entries: [Entry]) -> [UInt8] {
    var writer = ByteWriter(capacity: 8 + entries.count * 8)
    writer.varint(UInt64(entries.count))
    var last = Entry(row: 0, key: 0, time: 0, block: 0, ordinal: 0)
    for entry in entries {
      writer.signed(entry.row &- last.row)
      writer.signed(entry.key &- last.key)
      writer.signed(entry.time &- last.time)
      writer.signed(entry.block &- last.block)
      writer.signed(entry.ordinal &- last.ordinal)
      last = entry
    }
    return writer.bytes
  }

  /// Appends the touches of a row.
  static func decode(_ bytes: UnsafeRawBufferPointer, into entries: inout [Entry]) throws {
    var reader = ByteReader(bytes)
    let count = try reader.count(unit: 5)
    var last = Entry(row: 0, key: 0, time: 0, block: 0, ordinal: 0)
    for _ in 0..<count {
      last.row &+= try reader.signed()
      last.key &+= try reader.signed()
      last.time &+= try reader.signed()
      last.block &+= try reader.signed()
      last.ordinal &+= try reader.signed()
      entries.append(last)
    }
  }
}
