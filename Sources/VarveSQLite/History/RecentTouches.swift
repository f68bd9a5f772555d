import VarveCore

/// The touches written last, which `varve_touch` does not have yet.
///
/// Sorted in one by one, every touch would dirty a page of its own. So a transaction adds its touches
/// as one row of `varve_recent_touch`, in the order they came, and they are sorted in by the thousand.
/// Until then they are found by an index in memory, made when the first is looked for.
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

  /// What the table has, as far as it was read.
  private(set) var stored: [Entry] = []
  /// What the open transaction added.
  private(set) var pending: [Entry] = []
  /// The table's rows, as of the data version they were asked for at.
  private(set) var bounds = Bounds()
  private(set) var version: UInt32?
  /// Whether the table is known to be there: stores of before have none until it is needed.
  var hasTable = false
  /// The last row whose touches are in `stored`.
  private(set) var loadedThrough: Int64?

  private var heads: [Property: Int32] = [:]
  private var keys: [Int64: [Int64]] = [:]
  /// For each touch of the index, the next earlier of its property; −1 where there is none.
  private var followers: [Int32] = []

  /// The first and last row of the table, and how many touches all of them have.
  struct Bounds: Equatable {
    var first: Int64 = 0
    var last: Int64 = 0
    var count = 0
  }

  private struct Property: Hashable {
    var row: Int64
    var key: Int64
  }

  /// So many are sorted in together: what that costs is shared by all of them.
  var capacity: Int

  /// So many go into one statement.
  static let groupCount = 16

  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// Whether everything the table has is in `stored`.
  var isLoaded: Bool { loadedThrough == bounds.last }

  /// The open transaction was rolled back, or the table made anew.
  mutating func forget() { self = RecentTouches(capacity: capacity) }

  var hasAny: Bool { !pending.isEmpty || bounds.count > 0 }

  mutating func add(_ entry: Entry) { pending.append(entry) }

  /// Takes note of what the table holds at a data version, and forgets what it held before.
  mutating func note(_ bounds: Bounds, version: UInt32) {
    if bounds.first != self.bounds.first || bounds.last < loadedThrough ?? bounds.first {
      forgetStored()
    }
    self.bounds = bounds
    self.version = version
  }

  /// Takes in what the rows after those that are loaded have, to the last.
  mutating func load(_ entries: [Entry]) {
    stored += entries
    loadedThrough = bounds.last
  }

  /// The open transaction's touches were stored as a row.
  mutating func noteStored(as number: Int64) {
    let wasLoaded = isLoaded
    if bounds.first == 0 { bounds.first = number }
    bounds.last = number
    bounds.count += pending.count
    if wasLoaded { load(pending) } else { forgetIndex() }
    pending.removeAll(keepingCapacity: true)
  }

  /// All were sorted in; an empty row stands for them.
  mutating func noteSortedIn(number: Int64) {
    forgetStored()
    pending.removeAll(keepingCapacity: true)
    bounds = Bounds(first: number, last: number)
    loadedThrough = number
  }

  /// Another connection may have changed the table.
  mutating func expire() { version = nil }

  /// The open transaction was committed. What was not asked for in it is not known now either.
  mutating func noteCommitted(version: UInt32) { if self.version != nil { self.version = version } }

  private mutating func forgetStored() {
    stored.removeAll()
    loadedThrough = nil
    forgetIndex()
  }

  private mutating func forgetIndex() {
    heads.removeAll()
    keys.removeAll()
    followers.removeAll()
  }

  // MARK: Looking up

  /// Where the latest touch of a property stands that is not later than a time.
  mutating func latest(row: Int64, key: Int64, notAfter limit: Int64) -> Int? {
    index()
    var place = heads[Property(row: row, key: key)]
    while let found = place, self[Int(found)].time > limit { place = follower(of: found) }
    return place.map(Int.init)
  }

  /// Where the next earlier touch of the same property stands.
  func earlier(than place: Int) -> Int? { follower(of: Int32(place)).map(Int.init) }

  /// The keys an entity has touches of, in no order.
  mutating func keys(row: Int64) -> [Int64] {
    index()
    return keys[row] ?? []
  }

  subscript(place: Int) -> Entry {
    place < stored.count ? stored[place] : pending[place - stored.count]
  }

  private func follower(of place: Int32) -> Int32? {
    let next = followers[Int(place)]
    return next < 0 ? nil : next
  }

  private mutating func index() {
    let count = stored.count + pending.count
    while followers.count < count { index(Int32(followers.count)) }
  }

  /// Puts a touch in its place among those of its property, the latest first: mostly the beginning.
  private mutating func index(_ place: Int32) {
    let entry = self[Int(place)]
    let property = Property(row: entry.row, key: entry.key)
    followers.append(-1)
    guard let head = heads[property] else {
      heads[property] = place
      keys[entry.row, default: []].append(entry.key)
      return
    }
    guard entry < self[Int(head)] else {
      guard entry != self[Int(head)] else { return }
      followers[Int(place)] = head
      heads[property] = place
      return
    }
    var before = head
    while let next = follower(of: before), entry < self[Int(next)] { before = next }
    if let next = follower(of: before), self[Int(next)] == entry { return }
    followers[Int(place)] = followers[Int(before)]
    followers[Int(before)] = place
  }
}

// MARK: - Invariants

extension RecentTouches {
  /// Returns which invariant does not hold, or nil.
  ///
  /// - Complexity: O(touches)
  var brokenInvariant: String? {
    let count = stored.count + pending.count
    if followers.count > count { return "more touches are indexed than there are" }
    if loadedThrough ?? 0 > bounds.last { return "touches are loaded beyond the last row" }
    if isLoaded, stored.count != bounds.count { return "not all loaded touches are in memory" }
    if !hasTable, bounds.last > 0 { return "there are rows and no table" }
    for (property, head) in heads {
      var place: Int32? = head
      while let found = place {
        let entry = self[Int(found)]
        guard entry.row == property.row, entry.key == property.key else {
          return "a touch is indexed under another property"
        }
        place = follower(of: found)
        if let place, self[Int(place)] >= entry { return "touches are indexed out of order" }
      }
      guard keys[property.row]?.contains(property.key) == true else {
        return "a property with touches is not among the keys of its entity"
      }
    }
    let keyCount = keys.values.reduce(0) { $0 + $1.count }
    return keyCount == heads.count ? nil : "a key of an entity has no touches"
  }
}

// MARK: - A row's bytes

extension RecentTouches {
  /// Each number as the difference to the one before, as signed varints; after how many there are.
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

  static func decode(_ bytes: UnsafeRawBufferPointer) throws -> [Entry] {
    var reader = ByteReader(bytes)
    let count = try reader.count(unit: 5)
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    var last = Entry(row: 0, key: 0, time: 0, block: 0, ordinal: 0)
    for _ in 0..<count {
      last.row &+= try reader.signed()
      last.key &+= try reader.signed()
      last.time &+= try reader.signed()
      last.block &+= try reader.signed()
      last.ordinal &+= try reader.signed()
      entries.append(last)
    }
    return entries
  }
}
