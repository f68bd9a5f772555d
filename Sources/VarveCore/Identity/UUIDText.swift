/// The canonical text of a UUID: lower-case hexadecimal, 8-4-4-4-12 (RFC 9562, section 4).
package enum UUIDText {
  /// Returns the 16 bytes of a canonical UUID text, or nil if the text is anything else.
  ///
  /// Upper-case digits are not canonical, because a stored text must be returned unchanged.
  package static func parse(_ text: String) -> (high: UInt64, low: UInt64)? {
    var text = text
    guard text.utf8.count == 36 else { return nil }
    return text.withUTF8 { parse($0) }
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (index, byte) in bytes.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    return (high, low)
  }

  /// Returns the canonical text of 16 bytes.
  package static func format(high: UInt64, low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        let word = digit < 16 ? high : low
        let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - (digit & 15) * 4)) & 15
        buffer[position] =
          nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        position += 1
      }
      return 36
    }
  }
}
