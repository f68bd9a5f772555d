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

  /// The table's touches, as far as they were loaded.
  private(set) var stored: [Entry] = []
  /// The touches of the open transaction.
  private(set) var pending: [Entry] = []
  /// The bounds of the table's rows at the data version below.
  private(set) var bounds = Bounds()
  private(set) var version: UInt32?
  /// Whether the table is known to exist. A store from before this table existed gets it when it is
  /// needed.
  var hasTable = false
  /// The last row whose touches are in `stored`.
  private(set) var loadedThrough: Int64?

  private var heads: [Property: Int32] = [:]
  private var keys: [Int64: [Int64]] = [:]
  /// The next earlier touch of the same property for each touch of the index; −1 if there is none.
  private var followers: [Int32] = []

  /// The first and last row of the table, and the number of touches in all rows.
  struct Bounds: Equatable {
    var first: Int64 = 0
    var last: Int64 = 0
    var count = 0
  }

  private struct Property: Hashable {
    var row: Int64
    var key: Int64
  }

  /// The number of touches that are sorted in at once, which share the cost.
  var capacity: Int

  /// The number of touches that one statement inserts.
  static let groupCount = 16

  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// Whether all touches of the table are in `stored`.
  var isLoaded: Bool { loadedThrough == bounds.last }

  /// Discards everything after the open transaction was rolled back or the table was created again.
  mutating func forget() { self = RecentTouches(capacity: capacity) }

  var hasAny: Bool { !pending.isEmpty || bounds.count > 0 }

  mutating func add(_ entry: Entry) { pending.append(entry) }

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
    stored += entries
    loadedThrough = bounds.last
  }

  /// Records that the open transaction's touches were stored as a row.
  mutating func noteStored(as number: Int64) {
    let wasLoaded = isLoaded
    if bounds.first == 0 { bounds.first = number }
    bounds.last = number
    bounds.count += pending.count
    if wasLoaded { load(pending) } else { forgetIndex() }
    pending.removeAll(keepingCapacity: true)
  }

  /// Records that all touches were sorted in. An empty row remains.
  mutating func noteSortedIn(number: Int64) {
    forgetStored()
    pending.removeAll(keepingCapacity: true)
    bounds = Bounds(first: number, last: number)
    loadedThrough = number
  }

  /// Records that another connection may have changed the table.
  mutating func expire() { version = nil }

  /// Records that the open transaction was committed. Bounds that were unknown stay unknown.
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

  /// Returns the index of a property's latest touch that is not later than a time.
  mutating func latest(row: Int64, key: Int64, notAfter limit: Int64) -> Int? {
    index()
    var place = heads[Property(row: row, key: key)]
    while let found = place, self[Int(found)].time > limit { place = follower(of: found) }
    return place.map(Int.init)
  }

  /// Returns the index of a property's first touch after a time.
  mutating func next(row: Int64, key: Int64, after time: Int64) -> Int? {
    index()
    var next: Int32?
    var place = heads[Property(row: row, key: key)]
    while let found = place, self[Int(found)].time > time {
      next = found
      place = follower(of: found)
    }
    return next.map(Int.init)
  }

  /// Returns the index of the next earlier touch of the same property.
  func earlier(than place: Int) -> Int? { follower(of: Int32(place)).map(Int.init) }

  /// Returns the keys of an entity's touches, in no order.
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

  /// Inserts a touch among those of its property, latest first. Its place is mostly at the
  /// beginning.
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
