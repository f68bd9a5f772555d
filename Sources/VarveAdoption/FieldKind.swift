import Foundation
import VarveCore

/// The kind of the values of a column of a comma-separated file.
public enum FieldKind: String, Hashable, Sendable, CaseIterable {
  /// Texts, unchanged.
  case text
  /// Integers of 64 bits.
  case integer
  /// Doubles.
  case double
  /// `true` and `false`.
  case boolean
  /// Dates in ISO 8601, in UTC unless they name a zone.
  case date

  /// The kinds that a column may have, the narrowest first.
  static let inferred: [FieldKind] = [.integer, .double, .boolean, .date]

  /// Returns the value of a text, or nil if it is not of this kind.
  func value(_ text: String) -> Value? {
    switch self {
    case .text: .string(text)
    case .integer: Self.isNumber(text) ? Int64(text).map { .int($0) } : nil
    case .double: Self.isNumber(text) ? Self.double(text).map { .double($0) } : nil
    case .boolean: text == "true" ? true : text == "false" ? false : nil
    case .date: DateText.date(text).map { .date($0) }
    }
  }

  /// Whether a text is a decimal number. One with a leading zero or a plus is a code, such as that
  /// of an area, and would not be written again as it was.
  private static func isNumber(_ text: String) -> Bool {
    var digits = text.utf8[...]
    if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
    guard let first = digits.first, (48...57).contains(first),
      let last = digits.last, (48...57).contains(last),
      digits.allSatisfy({ (48...57).contains($0) || ".eE+-".utf8.contains($0) })
    else { return false }
    let second = digits.dropFirst().first
    return first != 48 || second.map { !(48...57).contains($0) } ?? (text != "-0")
  }

  /// Returns a finite double. An integer that a double cannot represent stays a text.
  private static func double(_ text: String) -> Double? {
    guard let number = Double(text), number.isFinite else { return nil }
    let isInteger = text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    return isInteger && number.magnitude >= 9_007_199_254_740_992 ? nil : number
  }
}
