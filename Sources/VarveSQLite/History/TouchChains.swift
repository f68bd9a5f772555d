/// The touches in memory: those of the table, then those of the open transaction.
struct TouchList {
  var stored: [RecentTouches.Entry] = []
  var pending: [RecentTouches.Entry] = []

  var count: Int { stored.count + pending.count }

  subscript(place: Int32) -> RecentTouches.Entry {
    let place = Int(place)
    return place < stored.count ? stored[place] : pending[place - stored.count]
  }
}

/// Finds the touches of a list by row and key.
///
/// The touches of a property are linked, latest first, and so are the latest touches of a row's
/// properties. A table of rows, hashed by hand, has one of these for each row: building
/// dictionaries of thousands of touches took up to half of the first read of a past page.
struct TouchChains {
  /// The places of touches, one for each row, at the row's hash or after it.
  private var slots: [Int32] = []
  private var rowCount = 0
  /// For each touch, the next earlier one of its property.
  private var followers: [Int32] = []
  /// For the latest touch of a property, that of another property of its row.
  private var siblings: [Int32] = []

  /// Stands for no place.
  private static let none: Int32 = -1

  /// The number of touches that are linked: the first ones of the list.
  var count: Int { followers.count }

  mutating func removeAll() { self = TouchChains() }

  /// Links the touches at the end of the list that are not linked yet.
  mutating func extend(over list: TouchList) {
    let count = list.count
    while followers.count < count { add(Int32(followers.count), list) }
  }

  /// Links a touch with those of its property. Its place is mostly at the beginning.
  private mutating func add(_ place: Int32, _ list: TouchList) {
    if (rowCount + 1) * 2 > slots.count { grow(list) }
    let entry = list[place]
    followers.append(Self.none)
    siblings.append(Self.none)
    let slot = slot(of: entry.row, list)
    let first = slots[slot]
    guard first != Self.none else {
      slots[slot] = place
      rowCount += 1
      return
    }
    var (before, head) = (Self.none, first)
    while head != Self.none, list[head].key != entry.key {
      (before, head) = (head, siblings[Int(head)])
    }
    guard head != Self.none else {
      siblings[Int(place)] = first
      slots[slot] = place
      return
    }
    guard entry < list[head] else {
      guard entry != list[head] else { return }
      followers[Int(place)] = head
      siblings[Int(place)] = siblings[Int(head)]
      if before == Self.none { slots[slot] = place } else { siblings[Int(before)] = place }
      return
    }
    var later = head
    while let next = earlier(than: later), entry < list[next] { later = next }
    if let next = earlier(than: later), list[next] == entry { return }
    followers[Int(place)] = followers[Int(later)]
    followers[Int(later)] = place
  }

  private mutating func grow(_ list: TouchList) {
    let former = slots
    slots = Array(repeating: Self.none, count: max(64, former.count * 2))
    for place in former where place != Self.none { slots[slot(of: list[place].row, list)] = place }
  }

  /// Returns the slot of a row, or the empty one where it belongs.
  private func slot(of row: Int64, _ list: TouchList) -> Int {
    let mask = slots.count - 1
    let hash = UInt64(bitPattern: row) &* 0x9E37_79B9_7F4A_7C15
    var slot = Int(truncatingIfNeeded: hash >> 32) & mask
    while slots[slot] != Self.none, list[slots[slot]].row != row { slot = (slot + 1) & mask }
    return slot
  }

  // MARK: Looking up

  /// Returns the place of the latest touch of each property of a row, in no order.
  func latest(ofRow row: Int64, in list: TouchList) -> [Int32] {
    guard !slots.isEmpty else { return [] }
    var places: [Int32] = []
    var place = slots[slot(of: row, list)]
    while place != Self.none {
      places.append(place)
      place = siblings[Int(place)]
    }
    return places
  }

  /// Returns the place of the latest touch of a property.
  func latest(row: Int64, key: Int64, in list: TouchList) -> Int32? {
    guard !slots.isEmpty else { return nil }
    var place = slots[slot(of: row, list)]
    while place != Self.none, list[place].key != key { place = siblings[Int(place)] }
    return place == Self.none ? nil : place
  }

  /// Returns the place of the next earlier touch of the same property.
  func earlier(than place: Int32) -> Int32? {
    let next = followers[Int(place)]
    return next == Self.none ? nil : next
  }
}

// MARK: - Invariants

extension TouchChains {
  /// Returns which invariant does not hold, or nil.
  ///
  /// - Complexity: O(touches)
  func brokenInvariant(_ list: TouchList) -> String? {
    if count > list.count { return "more touches are indexed than there are" }
    var rows: Set<Int64> = []
    for first in slots where first != Self.none {
      let row = list[first].row
      guard rows.insert(row).inserted else { return "a row has two slots" }
      guard slots[slot(of: row, list)] == first else { return "a row is not found" }
      var keys: Set<Int64> = []
      for head in latest(ofRow: row, in: list) {
        let key = list[head].key
        guard keys.insert(key).inserted else { return "a property has two latest touches" }
        var place: Int32? = head
        while let found = place {
          guard list[found].row == row, list[found].key == key else {
            return "a touch is indexed under another property"
          }
          place = earlier(than: found)
          if let place, list[place] >= list[found] { return "touches are indexed out of order" }
        }
      }
    }
    return rows.count == rowCount ? nil : "the number of rows with touches is wrong"
  }
}
