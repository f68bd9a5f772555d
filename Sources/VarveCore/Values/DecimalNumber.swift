/// A decimal number as an exact value: what a text such as `-12.50` or `1.25e1` says.
///
/// It has the range of Foundation's `Decimal`: 128 bits of digits, and a power of ten from −128 to
/// 127. Of a text with more digits, those beyond are dropped, as Foundation drops them.
package struct DecimalNumber: Hashable, Sendable {
  /// The digits as an integer that does not end in zero.
  package let significand: UInt128
  /// The power of ten the digits are multiplied by.
  package let exponent: Int
  package let isNegative: Bool

  /// Makes one of digits and a power of ten; nil where that is out of range.
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

  /// The powers of ten a number is kept with.
  private static let exponents = -128...127

  /// The digits, with the zeros that bring the power of ten into range; nil where they do not.
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
  /// Reads a number: a sign, digits with a point, a power of ten. Nothing may stand around it.
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

  /// The number without a power of ten, and without zeros that say nothing.
  package var text: String {
    let digits = String(significand)
    let sign = isNegative ? "-" : ""
    guard exponent < 0 else { return sign + digits + String(repeating: "0", count: exponent) }
    let point = digits.count + exponent
    guard point > 0 else { return sign + "0." + String(repeating: "0", count: -point) + digits }
    return sign + digits.prefix(point) + "." + digits.dropFirst(point)
  }

  /// Bytes whose order is that of the numbers: the sign, the place of the first digit, the digits.
  package var orderKey: [UInt8] {
    guard significand != 0 else { return [0x80] }
    let digits = Array(String(significand).utf8)
    let place = UInt16(digits.count + exponent + 1_024)
    let magnitude = [UInt8(place >> 8), UInt8(place & 0xFF)] + digits
    // What has more digits is below, of two negative numbers that begin alike.
    return isNegative ? [0x40] + magnitude.map { ~$0 } + [0xFF] : [0xC0] + magnitude
  }
}

/// The digits of a number, as they are read.
private struct DigitCount {
  var significand: UInt128 = 0
  var exponent = 0
  var hasAny = false
  /// Whether no further digit has room.
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
  /// Passes over a sign; whether it is a minus.
  fileprivate mutating func takeSign() -> Bool {
    guard let byte = first, byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") else {
      return false
    }
    removeFirst()
    return byte == UInt8(ascii: "-")
  }

  /// A power of ten; nil where there is none. What is out of all range stays so.
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
  /// The decimal number a text says, or the one an integer or a double is.
  package var decimal: DecimalNumber? {
    switch self {
    case .string(let text): DecimalNumber(text)
    case .int(let number): DecimalNumber(number)
    case .double(let number): number.isFinite ? DecimalNumber(number.description) : nil
    default: nil
    }
  }
}
