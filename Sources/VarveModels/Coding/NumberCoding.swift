import VarveCore

/// Integers of every size are values of one kind. A double with an integral value decodes as an
/// integer too, because JSON does not distinguish them.
extension ScalarCoding where Self: FixedWidthInteger {
  var scalar: Value? { Int64(exactly: self).map { .int($0) } }
  init?(scalar: Value) {
    switch scalar {
    case .int(let value): self.init(exactly: value)
    case .double(let value): self.init(exactly: value)
    default: return nil
    }
  }
  static var expectation: String { "an integer from \(Self.min) to \(Self.max)" }
}

extension Int: ScalarCoding {}
extension Int8: ScalarCoding {}
extension Int16: ScalarCoding {}
extension Int32: ScalarCoding {}
extension Int64: ScalarCoding {}
extension Int128: ScalarCoding {}
extension UInt: ScalarCoding {}
extension UInt8: ScalarCoding {}
extension UInt16: ScalarCoding {}
extension UInt32: ScalarCoding {}
extension UInt64: ScalarCoding {}
extension UInt128: ScalarCoding {}

extension Double: ScalarCoding {
  var scalar: Value? { .double(self) }
  init?(scalar: Value) {
    switch scalar {
    case .double(let value): self = value
    case .int(let value): self.init(exactly: value)
    default: return nil
    }
  }
  static var expectation: String { "a double" }
}

extension Float: ScalarCoding {
  var scalar: Value? {
    guard isNaN else { return .double(Double(self)) }
    // A conversion would quiet a signalling NaN.
    let sign = UInt64(bitPattern >> 31) << 63
    return .double(Double(bitPattern: sign | 0x7FF << 52 | UInt64(significandBitPattern) << 29))
  }
  init?(scalar: Value) {
    switch scalar {
    case .double(let value) where value.isNaN:
      let payload = UInt32(value.significandBitPattern >> 29)
      // A payload that does not fit into fewer bits must not become an infinity.
      let sign = UInt32(value.bitPattern >> 63) << 31
      self.init(bitPattern: sign | 0xFF << 23 | (payload == 0 ? 1 << 22 : payload))
    case .double(let value):
      self.init(value)
      // Rounds to the nearest float, but not to infinity.
      if isInfinite && value.isFinite { return nil }
    case .int(let value): self.init(exactly: value)
    default: return nil
    }
  }
  static var expectation: String { "a double within the range of Float" }
}
