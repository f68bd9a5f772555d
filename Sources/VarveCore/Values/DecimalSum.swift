/// The exact sum of any number of decimal numbers, in any order and of any size.
package struct DecimalSum {
  /// Parts of nine digits each, the least first, of the sum in units of 10^-128.
  private var parts = [Int64](repeating: 0, count: 48)
  /// The number of summands.
  package private(set) var count = 0

  private static let unit = -128
  private static let base: Int64 = 1_000_000_000

  package init() {}

  package mutating func add(_ number: DecimalNumber) {
    count += 1
    guard let (digits, exponent) = number.padded else { return }
    let place = exponent - Self.unit
    let factor = (0..<place % 9).reduce(Int64(1)) { power, _ in power * 10 }
    var (rest, index) = (digits, place / 9)
    while rest != 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: UInt128(Self.base))
      let product = Int64(remainder) * factor
      let sign: Int64 = number.isNegative ? -1 : 1
      parts[index] += sign * (product % Self.base)
      parts[index + 1] += sign * (product / Self.base)
      (rest, index) = (quotient, index + 1)
    }
    if count.isMultiple(of: 1 << 30) { parts = carried }
  }

  /// The sum; nil if it has more digits than a number can have.
  package var total: DecimalNumber? {
    let (digits, isNegative) = magnitude
    return Self.number(digits, isNegative: isNegative, mayRound: false)
  }

  /// The mean, rounded to the nearest number of 38 digits; nil of none.
  package var mean: DecimalNumber? {
    guard count > 0 else { return nil }
    let (digits, isNegative) = magnitude
    var quotient: [UInt8] = []
    var remainder: UInt128 = 0
    for digit in digits {
      let next = remainder * 10 + UInt128(digit)
      let (part, rest) = next.quotientAndRemainder(dividingBy: UInt128(count))
      quotient.append(UInt8(part))
      remainder = rest
    }
    return Self.number(quotient, isNegative: isNegative, mayRound: true)
  }

  /// The parts, each with nine digits and the sign of the whole.
  private var carried: [Int64] {
    var parts = parts
    for index in parts.indices.dropLast() {
      let carry = parts[index].quotientRoundedDown(by: Self.base)
      parts[index] -= carry * Self.base
      parts[index + 1] += carry
    }
    return parts
  }

  /// The digits, the greatest first.
  private var magnitude: (digits: [UInt8], isNegative: Bool) {
    var copy = self
    copy.parts = carried
    let isNegative = (copy.parts.last ?? 0) < 0
    if isNegative {
      copy.parts = copy.parts.map { -$0 }
      copy.parts = copy.carried
    }
    var digits: [UInt8] = []
    for part in copy.parts.reversed() {
      let text = String(part)
      digits += [UInt8](repeating: 0, count: 9 - text.utf8.count) + text.utf8.map { $0 - 0x30 }
    }
    return (digits, isNegative)
  }

  /// Returns the number of digits in units of 10^-128.
  private static func number(
    _ digits: [UInt8],
    isNegative: Bool,
    mayRound: Bool
  ) -> DecimalNumber? {
    var digits = Array(digits.drop { $0 == 0 })
    var exponent = unit
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    var significand: UInt128 = 0
    let kept = mayRound ? min(digits.count, 38) : digits.count
    for digit in digits.prefix(kept) {
      let (product, overflows) = significand.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = product.addingReportingOverflow(UInt128(digit))
      guard !overflows, !overflowsToo else { return nil }
      significand = sum
    }
    exponent += digits.count - kept
    if kept < digits.count, digits[kept] >= 5 { significand += 1 }
    return DecimalNumber(significand, exponent: exponent, isNegative: isNegative)
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
