import Foundation

/// JSON that is being written as bytes.
struct JSONBytes {
  private(set) var bytes: [UInt8] = []

  mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func raw(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a string with its quotes.
  mutating func string(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { utf8 in
      var plain = 0
      for index in utf8.indices {
        let byte = utf8[index]
        guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[plain..<index]))
        escape(byte)
        plain = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[plain...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x22: raw("\\\"")
    case 0x5C: raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    default:
      raw("\\u00")
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 0xF)])
    }
  }

  /// Appends bytes in base64, with quotes.
  mutating func base64(_ data: Data) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: data.base64EncodedData())
    bytes.append(UInt8(ascii: "\""))
  }

  /// Removes the bytes, and keeps the capacity.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
