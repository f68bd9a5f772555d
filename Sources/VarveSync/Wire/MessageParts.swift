import VarveCore

extension ByteWriter {
  mutating func commitIDs(_ ids: [CommitID]) {
    varint(ids.count)
    for id in ids { commitID(id) }
  }

  mutating func commitRanges(_ ranges: [CommitRange]) {
    varint(ranges.count)
    for range in ranges {
      commitID(range.last)
      varint(range.count)
    }
  }

  mutating func parked(_ list: [Parked]) {
    varint(list.count)
    for parked in list { self.parked(parked) }
  }

  mutating func parked(_ parked: Parked) {
    commitID(parked.commit)
    text(parked.error.code.rawValue)
    text(parked.error.message.shortened)
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

  mutating func parked() throws -> [Parked] {
    try (0..<(try count(unit: 51))).map { _ in try parked() }
  }

  mutating func parked() throws -> Parked {
    let commit = try commitID()
    let (code, message) = (try text(), try text())
    let known = VarveError.Code(rawValue: code) ?? .damaged
    return Parked(commit: commit, error: VarveError(known, message))
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

extension String {
  /// At most 1,024 characters, so that a foreign error message does not fill a frame.
  var shortened: String { String(prefix(1_024)) }
}
