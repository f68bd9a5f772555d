/// An exact decimal number, such as the texts `-12.50` and `1.25e1` represent.
///
/// It has the range of Foundation's `Decimal`: 128 bits of digits, and a power of ten from −128 to
/// 127. Further digits of a text are dropped, as Foundation does.
package struct DecimalNumber: Hashable, Sendable {
  /// The digits as an integer that does not end in zero.
  package let significand: UInt128
  /// The power of ten the digits are multiplied by.
  package let exponent: Int
  package let isNegative: Bool

  /// Creates a number from digits and a power of ten; nil if it is out of range.
  package init?(_ significand: UInt128, exponent: Int, isNegative: Bool) {
    var (significand, exponent) = (significand, exponent)
    while significand != 0, significand.isMultiple(of: 10) {
      significand /= 10
      exponent += 1
    }
    self.significand = significand
    self.exponent = significand == 0 ? 0 : exponent
    self.isNegative = isNegative && significand != 0
    guard significand == 0 || self.isInRange else { return nil }
  }

  package init(_ number: Int64) {
    var (digits, exponent) = (UInt128(number.magnitude), 0)
    while digits != 0, digits.isMultiple(of: 10) {
      digits /= 10
      exponent += 1
    }
    significand = digits
    self.exponent = exponent
    isNegative = number < 0
  }

  private var isInRange: Bool {
    guard exponent >= Self.exponents.lowerBound else { return false }
    guard exponent > Self.exponents.upperBound else { return true }
    return padded != nil
  }

  /// The range of the power of ten.
  private static let exponents = -128...127

  /// The digits, with zeros appended to bring the power of ten into range; nil if that is not
  /// possible.
  package var padded: (digits: UInt128, exponent: Int)? {
    var (digits, power) = (significand, exponent)
    while power > Self.exponents.upperBound {
      let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      digits = product
      power -= 1
    }
    return (digits, power)
  }
}

extension DecimalNumber {
  /// Parses a number: a sign, digits with a point, a power of ten. Whitespace around it is not
  /// allowed.
  package init?(_ text: String) {
    var bytes = text.utf8[...]
    let isNegative = bytes.takeSign()
    var digits = DigitCount()
    digits.take(from: &bytes, isFraction: false)
    if bytes.first == UInt8(ascii: ".") {
      bytes.removeFirst()
      digits.take(from: &bytes, isFraction: true)
    }
    guard digits.hasAny else { return nil }
    var power = 0
    if let letter = bytes.first, letter | 0x20 == UInt8(ascii: "e") {
      bytes.removeFirst()
      guard let said = bytes.takePower() else { return nil }
      power = said
    }
    guard bytes.isEmpty else { return nil }
    self.init(digits.significand, exponent: digits.exponent + power, isNegative: isNegative)
  }

  /// The number as text, without a power of ten and without redundant zeros.
  package var text: String {
    let digits = String(significand)
    let sign = isNegative ? "-" : ""
    guard exponent < 0 else { return sign + digits + String(repeating: "0", count: exponent) }
    let point = digits.count + exponent
    guard point > 0 else { return sign + "0." + String(repeating: "0", count: -point) + digits }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }

  /// Bytes that sort in numeric order: the sign, the place of the first digit, the digits.
  package var orderKey: [UInt8] {
    guard significand != 0 else { return [0x80] }
    let digits = Array(String(significand).utf8)
    let place = UInt16(digits.count + exponent + 1_024)
    let magnitude = [UInt8(place >> 8), UInt8(place & 0xFF)] + digits
    // Of two negative numbers with a common prefix, the one with more digits is less.
    return isNegative ? [0x40] + magnitude.map { ~$0 } + [0xFF] : [0xC0] + magnitude
  }
}

/// The digits of a number while it is parsed.
private struct DigitCount {
  var significand: UInt128 = 0
  var exponent = 0
  var hasAny = false
  /// Whether there is no room for another digit.
  private var isFull = false

  mutating func take(from bytes: inout Substring.UTF8View, isFraction: Bool) {
    while let byte = bytes.first, (0x30...0x39).contains(byte) {
      bytes.removeFirst()
      hasAny = true
      if !isFull {
        let (product, overflows) = significand.multipliedReportingOverflow(by: 10)
        let (sum, overflowsToo) = product.addingReportingOverflow(UInt128(byte - 0x30))
        isFull = overflows || overflowsToo
        if !isFull { significand = sum }
      }
      if isFull, !isFraction { exponent += 1 }
      if !isFull, isFraction { exponent -= 1 }
    }
  }
}

extension Substring.UTF8View {
  /// Skips a sign. Returns whether it is a minus.
  fileprivate mutating func takeSign() -> Bool {
    guard let byte = first, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") else {
      return false
    }
    removeFirst()
    return byte == UInt8(ascii: "-")
  }

  /// Parses a power of ten; returns nil if there is none. A number out of range stays out of range.
  fileprivate mutating func takePower() -> Int? {
    let isNegative = takeSign()
    var power: Int?
    while let byte = first, (0x30...0x39).contains(byte) {
      removeFirst()
      power = Swift.min((power ?? 0) * 10 + Int(byte - 0x30), 1_000_000)
    }
    return power.map { isNegative ? -$0 : $0 }
  }
}

extension Value {
  /// The decimal number of a text, an integer or a double.
  package var decimal: DecimalNumber? {
    switch self {
    case .string(let text): DecimalNumber(text)
    case .int(let number): DecimalNumber(number)
    case .double(let number): number.isFinite ? DecimalNumber(number.description) : nil
    default: nil
    }
  }
}
