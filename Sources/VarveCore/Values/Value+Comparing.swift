import Foundation

/// The comparison of values in queries. It differs from the equality of stored values: see
/// ``Value``.
extension Value {
  /// The rank of the value's kind in an order: truth values, numbers, dates, texts, data,
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

  /// Whether comparisons with the value are never true: NaN, also as a date.
  package var isNotComparable: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// Returns the order of two comparable values of one rank, as in a predicate; nil if the ranks
  /// differ or a value is NaN.
  package func compared(with other: Value) -> Int? {
    guard sortRank == other.sortRank, !isNotComparable, !other.isNotComparable else { return nil }
    let (left, right) = (sortKey, other.sortKey)
    return left == right ? 0 : (left.lexicographicallyPrecedes(right) ? -1 : 1)
  }

  /// Bytes whose order is the value's order among all values, with NaN after the numbers.
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
  /// Appends a double in the order of its value, with equal zeros and NaN last; then an integer
  /// that distinguishes numbers that round to the same double.
  fileprivate mutating func sortable(_ value: Double, exact: Int64) {
    let bits = (value == 0 ? 0 : value.isNaN ? Double.nan.magnitude : value).bitPattern
    fixed(bits >> 63 == 1 ? ~bits : bits | UInt64(1) << 63)
    fixed(UInt64(bitPattern: exact) ^ 1 << 63)
  }
}
