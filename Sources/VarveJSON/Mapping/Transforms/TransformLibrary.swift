import Foundation
public import VarveCore

/// The built-in transforms.
extension ValueTransform {
  /// Keeps the value.
  public static let identity = ValueTransform("identity", { $0 })

  /// Converts texts to upper case; the reverse is lower case.
  public static let uppercase = ValueTransform(
    "uppercase",
    { $0.stringValue.map { .string($0.uppercased()) } },
    reverse: { $0.stringValue.map { .string($0.lowercased()) } }
  )

  /// Converts texts to lower case; the reverse is upper case.
  public static let lowercase = ValueTransform(
    "lowercase",
    uppercase.reversed,
    reverse: { uppercase($0) }
  )

  /// Removes white space around texts.
  public static let trim = ValueTransform("trim") {
    $0.stringValue.map { .string($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// Converts texts of whole numbers to integers; the reverse is texts.
  public static let integer = ValueTransform("integer", { $0.coerced(to: .int) }, reverse: \.asText)

  /// Converts texts of numbers to doubles; the reverse is texts.
  public static let double = ValueTransform(
    "double",
    { $0.coerced(to: .double) },
    reverse: \.asText
  )

  /// Converts the texts `true` and `false` to truth values; the reverse is texts.
  public static let boolean = ValueTransform(
    "boolean",
    { $0.coerced(to: .bool) },
    reverse: \.asText
  )

  /// Converts numbers and truth values to texts. The reverse converts a text of an integer to that
  /// integer.
  public static let string = ValueTransform(
    "string",
    \.asText,
    reverse: { value in
      // A text that is not the form of an integer, such as 007, stays a text.
      value.coerced(to: .int).flatMap { $0.asText == value ? $0 : nil } ?? value
    }
  )

  /// Converts texts in ISO 8601 to dates, in UTC unless the text has a zone.
  public static let isoDate = ValueTransform(
    "date",
    { value in
      if case .date(let date) = value { return DateWriter.exact(date).map(Value.string) }
      return value.coerced(to: .date)
    },
    reverse: { $0.dateValue.flatMap { DateWriter.exact($0) }.map(Value.string) }
  )

  /// Converts seconds since 1970 to dates; the reverse is seconds.
  public static let epochSeconds = epoch("epoch:seconds", perSecond: 1)

  /// Converts milliseconds since 1970 to dates; the reverse is milliseconds.
  public static let epochMilliseconds = epoch("epoch:milliseconds", perSecond: 1_000)

  /// Returns a transform of numbers by their decimal digits, so that a number is the same date as a
  /// text with the same digits. A double that counts from 1970 would lose bits when it is converted
  /// to count from 2001, as dates do.
  private static func epoch(_ name: String, perSecond scale: Int64) -> ValueTransform {
    @Sendable func date(_ value: Value) -> Value? {
      switch value {
      case .int(let number): EpochNumber(number).date(perSecond: scale).map(Value.date)
      case .double(let number): EpochNumber(number).date(perSecond: scale).map(Value.date)
      default: nil
      }
    }
    return ValueTransform(
      name,
      date,
      reverse: { value in
        guard let moment = value.dateValue else { return nil }
        let numbers = EpochNumber.values(of: moment, perSecond: scale)
        return numbers.first { date($0) == value } ?? numbers.last
      }
    )
  }

  /// Returns a transform of dates by a pattern, in UTC: `yyyy-MM-dd`, `dd.MM.yyyy HH:mm`. The time
  /// is midnight if the pattern has none, the month January and the day the first.
  ///
  /// A pattern that ``DatePattern`` does not support is a programmer error and traps. Mapping files
  /// with such a pattern are refused.
  public static func date(_ pattern: String) -> ValueTransform {
    guard let pattern = DatePattern(pattern) else {
      preconditionFailure("\"\(pattern)\" is not a date pattern")
    }
    return date(pattern)
  }

  static func date(_ pattern: DatePattern) -> ValueTransform {
    ValueTransform(
      "date:\(pattern.text)",
      { value in
        switch value {
        case .string(let text): pattern.read(text).map(Value.date)
        case .date(let date): pattern.write(date).map(Value.string)
        default: nil
        }
      },
      reverse: { $0.dateValue.flatMap(pattern.write).map(Value.string) }
    )
  }

  /// Returns a transform of the values of an enumeration: each value of a document, as text, and
  /// the value of the property. Other values have no result.
  ///
  /// If several have the same result, the reverse is the first in byte order.
  public static func enumeration(_ name: String = "enumeration", _ values: [String: Value])
    -> ValueTransform
  {
    enumeration(name, values.map { (ExactText($0), $1) })
  }

  /// Returns the transform of an enumeration, of whose values Unicode may call two equivalent. Of
  /// equal ones, the last counts.
  static func enumeration(_ name: String, _ values: [(ExactText, Value)]) -> ValueTransform {
    let results = Dictionary(values, uniquingKeysWith: { $1 })
    let back = Dictionary(
      results.sorted { $0.key < $1.key }.map { ($1, $0.text) },
      uniquingKeysWith: { first, _ in first }
    )
    return ValueTransform(
      name,
      { $0.asText?.stringValue.flatMap { results[ExactText($0)] } },
      reverse: { back[$0].map(Value.string) }
    )
  }

  /// Returns a transform to the part of a text before the first separator, or the whole text if
  /// there is none. The reverse keeps the value.
  public static func before(_ separator: String) -> ValueTransform {
    ValueTransform("before:\(separator)") { value in
      value.stringValue.map { text in
        .string(text.range(of: separator).map { String(text[..<$0.lowerBound]) } ?? text)
      }
    }
  }

  /// Returns a transform to the part of a text after the last separator, or the whole text if there
  /// is none. The reverse keeps the value.
  public static func after(_ separator: String) -> ValueTransform {
    ValueTransform("after:\(separator)") { value in
      value.stringValue.map { text in
        let end = text.range(of: separator, options: .backwards)
        return .string(end.map { String(text[$0.upperBound...]) } ?? text)
      }
    }
  }

  /// Creates the built-in transform with a name in a mapping file; nil if there is none.
  public init?(named name: String) {
    if let simple = Self.simple.first(where: { $0.name == name }) {
      self = simple
    } else if let rest = name.rest(after: "date:"), let pattern = DatePattern(rest) {
      self = .date(pattern)
    } else if let rest = name.rest(after: "before:") {
      self = .before(rest)
    } else if let rest = name.rest(after: "after:") {
      self = .after(rest)
    } else {
      return nil
    }
  }

  private static let simple = [
    identity, uppercase, lowercase, trim, integer, double, boolean, string, isoDate, epochSeconds,
    epochMilliseconds,
  ]

  /// The names that a mapping file can use, for messages.
  static let forms =
    simple.map(\.name).joined(separator: ", ") + ", date:PATTERN, before:TEXT or after:TEXT"
}

extension String {
  /// Returns the rest of the text after a prefix, unless the rest is empty.
  fileprivate func rest(after prefix: String) -> String? {
    hasPrefix(prefix) && count > prefix.count ? String(dropFirst(prefix.count)) : nil
  }
}
