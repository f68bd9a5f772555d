import Foundation

/// How queries compare values. Equality of stored values is another thing: see ``Value``.
extension Value {
  /// The place of the value's kind in an order: truth values, numbers, dates, texts, data,
  /// references, arrays, dictionaries.
  public var sortRank: Int {
    switch self {
    case .bool: 1
    case .int, .double: 2
    case .date: 3
    case .string: 4
    case .data: 5
    case .reference: 6
    case .array: 7
    case .dictionary: 8
    }
  }

  /// Whether SQL would compare the value as nothing: NaN, also as a date.
  package var isNotComparable: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// The order of two comparable values of one rank, as a predicate sees it; nil where the ranks
  /// differ or a value is NaN.
  package func compared(with other: Value) -> Int? {
    guard sortRank == other.sortRank, !isNotComparable, !other.isNotComparable else { return nil }
    let (left, right) = (sortKey, other.sortKey)
    return left == right ? 0 : (left.lexicographicallyPrecedes(right) ? -1 : 1)
  }

  /// Bytes whose order is the value's order among all values, NaN after the numbers.
  package var sortKey: [UInt8] {
    var writer = ByteWriter(capacity: 24)
    writer.byte(UInt8(sortRank))
    switch self {
    case .bool(let value): writer.byte(value ? 1 : 0)
    case .int(let value): writer.sortable(Double(value), exact: value)
    case .double(let value):
      writer.sortable(value, exact: value.clampedInteger)
      // 2^63 is above the greatest integer, which rounds to it.
      if value == 0x1p63 { writer.byte(1) }
    case .date(let value): writer.sortable(value.timeIntervalSinceReferenceDate, exact: 0)
    case .string(let value): writer.raw(value.utf8)
    case .data(let value): writer.raw(value)
    case .reference(let value): writer.raw(value.text.utf8)
    case .array, .dictionary: writer.value(self)
    }
    return writer.bytes
  }
}

extension Double {
  /// The integer part, clamped to 64 bits; zero for NaN.
  fileprivate var clampedInteger: Int64 {
    if isNaN { return 0 }
    if self >= 0x1p63 { return .max }
    return self < -0x1p63 ? .min : Int64(self)
  }
}

extension ByteWriter {
  /// A double in the order of its value, zeros equal, NaN last; then an integer that tells apart
  /// what rounds to one double.
  fileprivate mutating func sortable(_ value: Double, exact: Int64) {
    let bits = (value == 0 ? 0 : value.isNaN ? Double.nan.magnitude : value).bitPattern
    fixed(bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    fixed(UInt64(bitPattern: exact) ^ 1 << 63)
  }
}
