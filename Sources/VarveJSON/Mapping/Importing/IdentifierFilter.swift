import VarveCore

/// Recognises most new identifiers in little memory: a Bloom filter that stores the bits of an
/// identifier in one word.
struct IdentifierFilter {
  /// 8 MiB: for three million identifiers, the filter causes about one needless lookup in a
  /// hundred.
  private var words = [UInt64](repeating: 0, count: 1 << 20)

  /// Returns the filter's hash of an identifier.
  static func hash(_ id: EntityID) -> UInt64 { UInt64(bitPattern: Int64(id.hashValue)) }

  /// Adds an identifier; returns whether it may have been added before.
  mutating func insert(_ hash: UInt64) -> Bool {
    let place = Int(hash >> 44)
    var bits: UInt64 = 0
    for shift: UInt64 in [0, 6, 12, 18] { bits |= 1 << (hash >> shift & 63) }
    let old = words[place]
    words[place] = old | bits
    return old & bits == bits
  }
}
