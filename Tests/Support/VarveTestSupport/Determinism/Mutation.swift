extension SplitMix64 {
  /// Returns the bytes with one defect: a flipped bit, or some bytes changed, removed, inserted or
  /// duplicated.
  package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return [UInt8(truncatingIfNeeded: next())] }
    var bytes = bytes
    let start = Int.random(in: 0..<bytes.count, using: &self)
    let end = min(bytes.count, start + Int.random(in: 1...8, using: &self))
    switch Int.random(in: 0..<8, using: &self) {
    case 0..<3: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &self)
    case 3: for index in start..<end { bytes[index] = pick([0, 1, 0x7F, 0x80, 0xFF]) }
    case 4: bytes.removeSubrange(start..<end)
    case 5: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 6: bytes.removeLast(bytes.count - start)
    default: bytes.insert(UInt8(truncatingIfNeeded: next()), at: start)
    }
    return bytes
  }
}
