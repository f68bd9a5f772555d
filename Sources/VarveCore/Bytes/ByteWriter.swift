/// Appends the primitive encodings that all of Varve's formats use.
///
/// Integers are LEB128 varints (DWARF 5, section 7.6), signed ones in zigzag encoding; fixed-width
/// numbers are big-endian; texts and byte strings are preceded by their length.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  package var count: Int { bytes.count }

  @inline(__always)
  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  package mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  package mutating func raw(_ value: UnsafeRawBufferPointer) { bytes.append(contentsOf: value) }

  @inline(__always)
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  package mutating func varint(_ value: Int) {
    precondition(value >= 0, "a count is not negative")
    varint(UInt64(value))
  }

  /// Appends in zigzag encoding, which keeps small negative numbers short.
  @inline(__always)
  package mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  package mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      varint(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  package mutating func counted(_ value: [UInt8]) {
    varint(value.count)
    bytes.append(contentsOf: value)
  }

  package mutating func digest(_ value: ContentDigest) {
    fixed(value.words.0)
    fixed(value.words.1)
    fixed(value.words.2)
    fixed(value.words.3)
  }

  package mutating func replica(_ value: ReplicaID) {
    fixed(value.high)
    fixed(value.low)
  }

  package mutating func commitID(_ value: CommitID) {
    replica(value.replica)
    varint(UInt64(value.sequence))
    digest(value.hash)
  }

  /// Appends an identifier: 0 and the 16 bytes of a canonical UUID, or the length and the text.
  package mutating func entityID(_ value: EntityID) {
    switch value.storage {
    case .uuid(let high, let low):
      byte(0)
      fixed(high)
      fixed(low)
    case .text(let text): self.text(text)
    }
  }
}
