extension String {
  /// Creates the lower-case hexadecimal digits of bytes, two for each.
  package init(hexadecimal bytes: [UInt8]) {
    self = String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
      var position = 0
      for byte in bytes {
        buffer[position] = Self.hexadecimalDigit(byte >> 4)
        buffer[position + 1] = Self.hexadecimalDigit(byte & 15)
        position += 2
      }
      return position
    }
  }

  private static func hexadecimalDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }
}
