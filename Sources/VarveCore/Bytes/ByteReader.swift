/// Reads what ``ByteWriter`` wrote, and validates everything it reads.
///
/// Every read is checked against the remaining bytes; a violation throws `damaged` with the offset.
package struct ByteReader {
  private let base: UnsafeRawBufferPointer
  package private(set) var offset: Int

  package init(_ base: UnsafeRawBufferPointer, offset: Int = 0) {
    self.base = base
    self.offset = offset
  }

  package var remaining: Int { base.count - offset }
  package var isAtEnd: Bool { offset == base.count }

  /// Returns an error that names the current offset.
  package func damaged(_ what: String) -> VarveError {
    VarveError(
      .damaged,
      what,
      at: "byte \(offset) of \(base.count)",
      remedy: "Run `varve check`; restore the file from a copy, or merge from another replica."
    )
  }

  @inline(__always)
  package mutating func byte() throws -> UInt8 {
    guard offset < base.count else { throw damaged("the bytes end too early") }
    defer { offset += 1 }
    return base[offset]
  }

  /// Returns the next byte without advancing.
  package func peek() throws -> UInt8 {
    guard offset < base.count else { throw damaged("the bytes end too early") }
    return base[offset]
  }

  @inline(__always)
  package mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw damaged("an integer is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 {
        guard next != 0 || shift == 0 else { throw damaged("an integer is not in shortest form") }
        return value
      }
      shift += 7
    }
  }

  /// Reads a count of elements of at least `unit` bytes each, checked against the remaining bytes.
  package mutating func count(unit: Int = 1) throws -> Int {
    let value = try varint()
    let most = unit > 1 ? remaining / unit : remaining
    guard value <= UInt64(most) else { throw damaged("a count is too large") }
    return Int(value)
  }

  /// Reads a number that is not a count of bytes.
  package mutating func number() throws -> Int {
    let value = try varint()
    // A number that only a system of 64 bits can hold is no damage, but cannot be read on one of 32.
    guard let number = Int(exactly: value) else { throw damaged("a number is too large") }
    return number
  }

  package mutating func signed() throws -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  package mutating func fixed() throws -> UInt64 {
    let bytes = try raw(8)
    return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  package mutating func raw(_ count: Int) throws -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw damaged("the bytes end too early") }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: base[offset..<offset + count])
  }

  package mutating func skip(_ count: Int) throws { _ = try raw(count) }

  package mutating func counted() throws -> UnsafeRawBufferPointer { try raw(count()) }

  package mutating func text() throws -> String { String(decoding: try utf8(), as: UTF8.self) }

  /// Reads the bytes of a text.
  mutating func utf8() throws -> UnsafeRawBufferPointer {
    let bytes = try counted()
    // Most texts are ASCII, which needs no validation; the general check is ten times slower.
    guard bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil else {
      throw damaged("a text is not UTF-8")
    }
    return bytes
  }

  package mutating func digest() throws -> ContentDigest {
    try ContentDigest(words: (fixed(), fixed(), fixed(), fixed()))
  }

  package mutating func replica() throws -> ReplicaID {
    try ReplicaID(high: fixed(), low: fixed())
  }

  package mutating func commitID() throws -> CommitID {
    let replica = try replica()
    let sequence = try number()
    guard sequence > 0 else { throw damaged("a commit number is not positive") }
    return try CommitID(replica: replica, sequence: Int64(sequence), hash: digest())
  }

  package mutating func entityID() throws -> EntityID {
    let length = try count()
    if length == 0 { return try EntityID(storage: .uuid(high: fixed(), low: fixed())) }
    guard length <= EntityID.maximumByteCount else { throw damaged("an identifier is too long") }
    guard let text = String(validating: try raw(length), as: UTF8.self) else {
      throw damaged("an identifier is not UTF-8")
    }
    let id = EntityID(unchecked: text)
    if case .uuid = id.storage { throw damaged("an identifier is not in shortest form") }
    return id
  }

  package mutating func skipEntityID() throws {
    let length = try count()
    try skip(length == 0 ? 16 : length)
  }
}

// MARK: Skipping many elements

extension ByteReader {
  /// Skips an integer without validating it.
  @inline(__always)
  mutating func skipVarint() throws { while try byte() >= 0x80 {} }

  /// Skips integers without validating them, eight bytes at a time.
  mutating func skipVarints(_ count: Int) throws {
    var left = count
    var place = offset
    while left > 0 {
      if base.count - place >= 8 {
        // The last byte of an integer has no high bit. Multiplying adds up these bytes.
        let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let lasts = (~word & 0x80808080_80808080) >> 7
        let count = Int((lasts &* 0x01010101_01010101) >> 56)
        if count < left {
          left -= count
          place += 8
          continue
        }
      }
      guard place < base.count else { throw damaged("the bytes end too early") }
      if base[place] < 0x80 { left -= 1 }
      place += 1
    }
    offset = place
  }

  /// Skips identifiers without validating them.
  mutating func skipEntityIDs(_ count: Int) throws {
    if isAtUUIDs(count) { return try skip(count * 17) }
    for _ in 0..<count { try skipEntityID() }
  }

  /// Returns whether the next identifiers are UUIDs, each of which is a zero and sixteen bytes. If
  /// those before it are UUIDs, the place of each is known.
  func isAtUUIDs(_ count: Int) -> Bool {
    count <= remaining / 17 && (0..<count).allSatisfy { base[offset + $0 * 17] == 0 }
  }

  /// Skips texts or data without validating them.
  mutating func skipCounted(_ count: Int) throws {
    var place = offset
    for _ in 0..<count {
      // Most lengths take one byte.
      if place < base.count, base[place] < 0x80, base.count - place > Int(base[place]) {
        place += 1 + Int(base[place])
        continue
      }
      offset = place
      let length = Int(truncatingIfNeeded: try varint())
      guard length >= 0, length <= remaining else { throw damaged("a count is too large") }
      place = offset + length
    }
    offset = place
  }
}
