import VarveCore

/// Tells of most identifiers that they were not met, in little memory: a Bloom filter, whose bits of
/// one identifier stand in one word.
struct IdentifierFilter {
  /// 8 MiB: of three million identifiers, about one in a hundred more is looked for in vain.
  private var words = [UInt64](repeating: 0, count: 1 << 20)

  /// An identifier as the filter takes it.
  static func hash(_ id: EntityID) -> UInt64 { UInt64(bitPattern: Int64(id.hashValue)) }

  /// Adds an identifier; answers whether it may have been added before.
  mutating func insert(_ hash: UInt64) -> Bool {
    let place = Int(hash >> 44)
    var bits: UInt64 = 0
    for shift: UInt64 in [0, 6, 12, 18] { bits |= 1 << (hash >> shift & 63) }
    let old = words[place]
    words[place] = old | bits
    return old & bits == bits
  }
}
