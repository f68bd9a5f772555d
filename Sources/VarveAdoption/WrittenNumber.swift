/// A number as it is written: exact, with as many digits as it has.
///
/// Texts in plain notation (`12`, `-0.50`) and in scientific notation (`1.5e300`, `1e-05`) are
/// numbers. In scientific notation one digit precedes the point, and there is a point or a sign of
/// the power of ten. So `007`, `+49`, `314e59` and `1e5` are no numbers but codes, which would not be
/// written again as they were.
struct WrittenNumber: Equatable {
  private let isNegative: Bool
  /// The digits without zeros at both ends; empty for zero.
  private let digits: [UInt8]
  /// The power of ten by which `0.digits` is multiplied.
  private let power: Int

  static func == (left: WrittenNumber, right: WrittenNumber) -> Bool {
    left.isNegative == right.isNegative && left.power == right.power && left.digits == right.digits
  }

  /// Parses a text; nil if it is no number.
  init?(_ text: String) {
    var rest = text.utf8[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    let whole = Self.takeDigits(&rest)
    guard let first = whole.first, first != UInt8(ascii: "0") || whole.count == 1 else {
      return nil
    }
    var fraction: [UInt8] = []
    let hasPoint = rest.first == UInt8(ascii: ".")
    if hasPoint {
      rest.removeFirst()
      fraction = Self.takeDigits(&rest)
      guard !fraction.isEmpty else { return nil }
    }
    var exponent = 0
    let isScientific = rest.first.map { $0 | 0x20 == UInt8(ascii: "e") } ?? false
    if isScientific {
      rest.removeFirst()
      let hasSign = rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+")
      let isBelow = rest.first == UInt8(ascii: "-")
      if hasSign { rest.removeFirst() }
      let places = Self.takeDigits(&rest)
      guard whole.count == 1, hasPoint || hasSign, !places.isEmpty, places.count <= 9,
        let number = Int(String(decoding: places, as: UTF8.self))
      else { return nil }
      exponent = isBelow ? -number : number
    }
    guard rest.isEmpty else { return nil }
    // A negative zero is no integer, and only a double has one.
    guard hasPoint || isScientific || !isNegative || first != UInt8(ascii: "0") else { return nil }
    let all = (whole + fraction)[...]
    let significant = all.drop { $0 == UInt8(ascii: "0") }
    let end = significant.lastIndex { $0 != UInt8(ascii: "0") }
    digits = end.map { Array(significant[...$0]) } ?? []
    power = end == nil ? 0 : whole.count + exponent - (all.count - significant.count)
  }

  private static func takeDigits(_ rest: inout Substring.UTF8View) -> [UInt8] {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return Array(digits)
  }

  /// Returns the integer of 64 bits that a text is; nil if it is none.
  static func integer(_ text: String) -> Int64? {
    var digits = text.utf8[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits.removeFirst() }
    guard let first = digits.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      first != UInt8(ascii: "0") || digits.count == 1 && !isNegative
    else { return nil }
    return Int64(text)
  }

  /// Returns the double that stands for this number and no other: its shortest text is the same
  /// number. Nil if there is none.
  func double(of text: String) -> Double? {
    guard let double = Double(text), double.isFinite,
      WrittenNumber(double.description) == self
    else { return nil }
    return double
  }
}
