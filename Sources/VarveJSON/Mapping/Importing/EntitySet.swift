import VarveCore

/// A set of entities, with a bit for each number that a backend assigned, so that it stays small.
struct EntitySet {
  /// The pages, without the last one.
  private var pages: [Int64: [UInt64]] = [:]
  /// The page that was changed last, and its bits. Numbers mostly come in order.
  private var lastPage: Int64?
  private var last: [UInt64] = []
  /// The entities without a number.
  private var ids: Set<EntityID> = []

  private static let pageBits: Int64 = 12
  private static let empty = [UInt64](repeating: 0, count: 1 << (pageBits - 6))

  /// Adds an entity; returns whether it was not in the set.
  mutating func insert(_ id: EntityID, _ number: Int64?) -> Bool {
    guard let number else { return ids.insert(id).inserted }
    let (page, word, bit) = Self.place(number)
    if lastPage != page { turn(to: page) }
    let old = last[word]
    guard old & bit == 0 else { return false }
    last[word] = old | bit
    return true
  }

  /// Makes a page the one that is changed.
  private mutating func turn(to page: Int64) {
    if let lastPage { pages[lastPage] = last }
    last = pages.removeValue(forKey: page) ?? Self.empty
    lastPage = page
  }

  func contains(_ id: EntityID, _ number: Int64?) -> Bool {
    guard let number else { return ids.contains(id) }
    let (page, word, bit) = Self.place(number)
    if page == lastPage { return last[word] & bit != 0 }
    return pages[page].map { $0[word] & bit != 0 } ?? false
  }

  private static func place(_ number: Int64) -> (page: Int64, word: Int, bit: UInt64) {
    let rest = Int(number & (1 << pageBits - 1))
    return (number >> pageBits, rest >> 6, 1 << UInt64(rest & 63))
  }
}
