import Foundation
import VarveCore

/// The kind of the values of a column of a comma-separated file.
///
/// A column whose kind is not given has the narrowest of `integer`, `double`, `decimal`, `boolean`
/// and `date` that keeps all its fields, or else is text. A double keeps a number if its shortest
/// text is the same number: `1.10` is 1.1, and `0.1234567890123456789` is no double.
public enum FieldKind: String, Hashable, Sendable, CaseIterable {
  /// Texts, unchanged.
  case text
  /// Integers of 64 bits.
  case integer
  /// Doubles. If the kind is given, the nearest one.
  case double
  /// Texts that are numbers, as properties of type `Decimal` store them; queries with
  /// `Field.decimal` compare them exactly.
  case decimal
  /// `true` and `false`.
  case boolean
  /// Dates in ISO 8601, in UTC unless they name a zone.
  case date
  /// Data in base64.
  case data
  /// References, by the identifiers of entities.
  case reference

  /// Returns the value of a text, or nil if it is not of this kind.
  func value(_ text: String) -> Value? {
    switch self {
    case .text: .string(text)
    case .integer: WrittenNumber.integer(text).map { .int($0) }
    case .double: Self.double(text).map { .double($0) }
    case .decimal: WrittenNumber(text) == nil ? nil : .string(text)
    case .boolean: text == "true" ? true : text == "false" ? false : nil
    case .date: DateText.date(text).map { .date($0) }
    case .data: Data(base64Encoded: text).map { .data($0) }
    case .reference: (try? EntityID(text)).map { .reference($0) }
    }
  }

  /// Returns the nearest double; nil for a number beyond all doubles, or below them.
  private static func double(_ text: String) -> Double? {
    switch text {
    case "NaN": return .nan
    case "inf": return .infinity
    case "-inf": return -.infinity
    default: break
    }
    guard let number = WrittenNumber(text), let double = Double(text), double.isFinite else {
      return nil
    }
    return double == 0 && WrittenNumber("0.0") != number && WrittenNumber("-0.0") != number
      ? nil : double
  }
}
