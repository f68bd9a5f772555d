import VarveCore

extension ByteWriter {
  mutating func commitIDs(_ ids: [CommitID]) {
    varint(ids.count)
    for id in ids { commitID(id) }
  }

  /// Writes a count and that many bits, eight per byte, the lowest first.
  mutating func bits(_ bits: [Bool]) {
    varint(bits.count)
    for start in stride(from: 0, to: bits.count, by: 8) {
      var byte: UInt8 = 0
      for (place, bit) in bits[start..<min(start + 8, bits.count)].enumerated() where bit {
        byte |= 1 << place
      }
      self.byte(byte)
    }
  }
}

extension ByteReader {
  mutating func commitIDs() throws -> [CommitID] {
    try (0..<(try count(unit: 49))).map { _ in try commitID() }
  }

  mutating func commitRanges() throws -> [CommitRange] {
    try (0..<(try count(unit: 50))).map { _ in
      let range = CommitRange(last: try commitID(), count: try number())
      guard range.count > 0, Int64(range.count) <= range.last.sequence else {
        throw damaged("a range of commits has none, or begins before the first")
      }
      return range
    }
  }

  mutating func bits() throws -> [Bool] {
    let count = try number()
    guard count <= remaining * 8 else { throw damaged("a count is too large") }
    let bytes = Array(try raw((count + 7) / 8))
    return (0..<count).map { (place: Int) -> Bool in
      let mask: UInt8 = 1 << UInt8(place % 8)
      return bytes[place / 8] & mask != 0
    }
  }
}
