import VarveCore

/// Tells of most identifiers that they were not met, in little memory: a Bloom filter.
struct IdentifierFilter {
  /// 8 MiB: of three million identifiers, one in a thousand more is looked for in vain.
  private static let bitCount: UInt64 = 1 << 26
  private static let bitsPerIdentifier = 4

  private var words = [UInt64](repeating: 0, count: Int(bitCount >> 6))

  /// Whether an identifier may have been added.
  func mayContain(_ id: EntityID) -> Bool {
    Self.places(of: id).allSatisfy { words[$0.word] & $0.bit != 0 }
  }

  /// Adds identifiers.
  mutating func insert(_ ids: [EntityID]) {
    for id in ids {
      for place in Self.places(of: id) { words[place.word] |= place.bit }
    }
  }

  private static func places(of id: EntityID) -> some Sequence<(word: Int, bit: UInt64)> {
    let hash = UInt64(bitPattern: Int64(id.hashValue))
    let step = hash >> 32 | 1
    return (0..<UInt64(bitsPerIdentifier)).lazy.map { number in
      let place = (hash &+ number &* step) & (bitCount - 1)
      return (Int(place >> 6), 1 << (place & 63))
    }
  }
}
