import Foundation
public import VarveCore

/// The transforms Varve knows.
extension ValueTransform {
  /// Changes nothing.
  public static let identity = ValueTransform("identity", { $0 })

  /// Texts in upper case; in lower case on the way out.
  public static let uppercase = ValueTransform(
    "uppercase",
    { $0.stringValue.map { .string($0.uppercased()) } },
    reverse: { $0.stringValue.map { .string($0.lowercased()) } }
  )

  /// Texts in lower case; in upper case on the way out.
  public static let lowercase = ValueTransform(
    "lowercase",
    uppercase.reversed,
    reverse: { uppercase($0) }
  )

  /// Texts without white space around them.
  public static let trim = ValueTransform("trim") {
    $0.stringValue.map { .string($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// Texts that say whole numbers as integers; texts on the way out.
  public static let integer = ValueTransform("integer", { $0.coerced(to: .int) }, reverse: \.asText)

  /// Texts that say numbers as doubles; texts on the way out.
  public static let double = ValueTransform(
    "double",
    { $0.coerced(to: .double) },
    reverse: \.asText
  )

  /// Texts that say truth values (`true`, `false`) as such; texts on the way out.
  public static let boolean = ValueTransform(
    "boolean",
    { $0.coerced(to: .bool) },
    reverse: \.asText
  )

  /// Numbers and truth values as texts; what a text says on the way out, where it is an integer.
  public static let string = ValueTransform(
    "string",
    \.asText,
    reverse: { value in
      // What is no integer's own text, as 007, stays a text.
      value.coerced(to: .int).flatMap { $0.asText == value ? $0 : nil } ?? value
    }
  )

  /// Dates in ISO 8601, in UTC where a text names no zone.
  public static let isoDate = ValueTransform(
    "date",
    { value in
      if case .date(let date) = value { return DateWriter.exact(date).map(Value.string) }
      return value.coerced(to: .date)
    },
    reverse: { $0.dateValue.flatMap { DateWriter.exact($0) }.map(Value.string) }
  )

  /// Seconds since 1970 as dates; seconds on the way out.
  public static let epochSeconds = epoch("epoch:seconds", perSecond: 1)

  /// Milliseconds since 1970 as dates; milliseconds on the way out.
  public static let epochMilliseconds = epoch("epoch:milliseconds", perSecond: 1_000)

  /// A number is taken by its decimal digits, so that it is the date that a text of the same digits
  /// says: counted in doubles from 1970, a moment loses bits on the way to 2001, where dates count
  /// from.
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

  /// Dates by a pattern, in UTC: `yyyy-MM-dd`, `dd.MM.yyyy HH:mm`. Midnight where the pattern has no
  /// time, January or the first where it has no month or day.
  ///
  /// A pattern that ``DatePattern`` does not know is a programmer error and traps; mapping files that
  /// hold one are refused.
  public static func date(_ pattern: String) -> ValueTransform {
    guard let pattern = DatePattern(pattern) else {
      preconditionFailure("\"\(pattern)\" is no pattern of dates")
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

  /// The values of an enumeration: each value of a document, as text, and what it becomes. Others
  /// have no value.
  ///
  /// Of two that become the same, the first in byte order goes out.
  public static func enumeration(_ name: String = "enumeration", _ values: [String: Value])
    -> ValueTransform
  {
    let back = Dictionary(
      values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return ValueTransform(
      name,
      { $0.asText?.stringValue.flatMap { values[$0] } },
      reverse: { back[$0].map(Value.string) }
    )
  }

  /// What stands in a text before the first of a separator; the whole where there is none. There is
  /// no way back: the value goes out as it is.
  public static func before(_ separator: String) -> ValueTransform {
    ValueTransform("before:\(separator)") { value in
      value.stringValue.map { text in
        .string(text.range(of: separator).map { String(text[..<$0.lowerBound]) } ?? text)
      }
    }
  }

  /// What stands in a text after the last of a separator; the whole where there is none. There is no
  /// way back: the value goes out as it is.
  public static func after(_ separator: String) -> ValueTransform {
    ValueTransform("after:\(separator)") { value in
      value.stringValue.map { text in
        let end = text.range(of: separator, options: .backwards)
        return .string(end.map { String(text[$0.upperBound...]) } ?? text)
      }
    }
  }

  /// The transform a mapping file names.
  ///
  /// - Returns: nil where Varve knows none of that name.
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

  /// What a mapping file may name.
  static let forms =
    simple.map(\.name).joined(separator: ", ") + ", date:PATTERN, before:TEXT or after:TEXT"
}

extension String {
  /// What follows a beginning that is not all.
  fileprivate func rest(after prefix: String) -> String? {
    hasPrefix(prefix) && count > prefix.count ? String(dropFirst(prefix.count)) : nil
  }
}
