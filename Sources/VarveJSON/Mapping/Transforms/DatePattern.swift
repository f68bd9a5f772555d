public import Foundation
import VarveCore

/// A pattern of dates in the Gregorian calendar and in UTC, unless the text contains a zone.
///
/// Letters, as in Unicode Technical Standard 35: `yyyy`, `MM` or `M`, `dd` or `d`, `HH` or `H`,
/// `mm`, `ss`, `SSS` (1 to 9 digits of a second's fraction), `X` to `XXX` (a zone: `Z`, `+01`,
/// `+0100`, `+01:00`). Literal text is quoted as `'…'`; characters that are not letters stand for
/// themselves.
public struct DatePattern: Hashable, Sendable {
  private enum Part: Hashable {
    case number(Unit, digits: Int)
    case fraction(digits: Int)
    case zone
    case text([UInt8])
  }

  private enum Unit: Hashable {
    case year
    case month
    case day
    case hour
    case minute
    case second
  }

  /// The pattern.
  public let text: String
  private let parts: [Part]

  /// Parses a pattern.
  ///
  /// - Returns: nil if the pattern has unknown letters, or no year.
  public init?(_ text: String) {
    var parts: [Part] = []
    var rest = Array(text)[...]
    while let first = rest.first {
      if first == "'" {
        guard let literal = Self.quoted(&rest) else { return nil }
        parts.append(.text(Array(literal.utf8)))
      } else if first.isASCII, first.isLetter {
        let run = rest.prefix { $0 == first }
        rest = rest.dropFirst(run.count)
        guard let part = Self.part(first, run.count) else { return nil }
        parts.append(part)
      } else {
        parts.append(.text(Array(String(first).utf8)))
        rest = rest.dropFirst()
      }
    }
    guard parts.contains(where: { if case .number(.year, _) = $0 { true } else { false } }) else {
      return nil
    }
    self.text = text
    self.parts = parts
  }

  /// Takes `'…'`; two quotes in a row are one.
  private static func quoted(_ rest: inout ArraySlice<Character>) -> String? {
    rest = rest.dropFirst()
    if rest.first == "'" {
      rest = rest.dropFirst()
      return "'"
    }
    var literal = ""
    while let character = rest.popFirst() {
      guard character == "'" else {
        literal.append(character)
        continue
      }
      guard rest.first == "'" else { return literal }
      literal.append("'")
      rest = rest.dropFirst()
    }
    return nil
  }

  private static func part(_ letter: Character, _ count: Int) -> Part? {
    switch (letter, count) {
    case ("y", 1), ("y", 4): .number(.year, digits: 4)
    case ("M", 1...2): .number(.month, digits: count)
    case ("d", 1...2): .number(.day, digits: count)
    case ("H", 1...2): .number(.hour, digits: count)
    case ("m", 1...2): .number(.minute, digits: count)
    case ("s", 1...2): .number(.second, digits: count)
    case ("S", 1...9): .fraction(digits: count)
    case ("X", 1...3): .zone
    default: nil
    }
  }
}

extension DatePattern {
  /// Returns the date of a text; nil if it does not match the pattern, or names a day that does not
  /// exist.
  public func read(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { read($0[...]) }
  }

  private func read(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Date? {
    var bytes = text
    var (year, month, day) = (1, 1, 1)
    var (hour, minute, second) = (0, 0, 0)
    var fraction = 0.0
    var offset = 0
    for part in parts {
      switch part {
      case .text(let literal):
        guard bytes.starts(with: literal) else { return nil }
        bytes = bytes.dropFirst(literal.count)
      case .number(let unit, let digits):
        guard let number = Self.digits(&bytes, digits > 1 ? digits...digits : 1...2) else {
          return nil
        }
        switch unit {
        case .year: year = number
        case .month: month = number
        case .day: day = number
        case .hour: hour = number
        case .minute: minute = number
        case .second: second = number
        }
      case .fraction(let digits):
        guard let number = Self.digits(&bytes, digits...digits) else { return nil }
        fraction = Double(number) / pow(10, Double(digits))
      case .zone:
        guard let seconds = Self.zone(&bytes) else { return nil }
        offset = seconds
      }
    }
    guard bytes.isEmpty, hour < 24, minute < 60, second < 60,
      let civil = CivilDate(year: year, month: month, day: day)
    else { return nil }
    let whole =
      Int64(civil.daysSince1970) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
      - DateReader.secondsToReferenceDate
    // A fraction that rounds up stays in its second.
    let interval = min(Double(whole) + fraction, Double(whole + 1).nextDown)
    return Date(timeIntervalSinceReferenceDate: interval)
  }

  private static func digits(
    _ bytes: inout Slice<UnsafeBufferPointer<UInt8>>,
    _ count: ClosedRange<Int>
  ) -> Int? {
    var number = 0
    var taken = 0
    while taken < count.upperBound, let byte = bytes.first, byte >= 0x30, byte <= 0x39 {
      number = number * 10 + Int(byte - 0x30)
      bytes = bytes.dropFirst()
      taken += 1
    }
    return count.contains(taken) ? number : nil
  }

  private static func zone(_ bytes: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard let sign = bytes.popFirst() else { return nil }
    if sign == UInt8(ascii: "Z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = digits(&bytes, 2...2), hours < 24
    else { return nil }
    if bytes.first == UInt8(ascii: ":") { bytes = bytes.dropFirst() }
    let minutes = digits(&bytes, 2...2) ?? 0
    guard minutes < 60 else { return nil }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  /// Returns the text of a date, as precisely as the pattern permits; nil outside the years 1 to
  /// 9999.
  public func write(_ date: Date) -> String? {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.isFinite, interval.magnitude < 1e12 else { return nil }
    let whole = Int64(interval.rounded(.down))
    let seconds = whole + DateReader.secondsToReferenceDate
    let days = (Double(seconds) / 86_400).rounded(.down)
    let civil = CivilDate(daysSince1970: Int(days))
    guard (1...9_999).contains(civil.year) else { return nil }
    let second = Int(seconds - Int64(days) * 86_400)
    let units: [Unit: Int] = [
      .year: civil.year, .month: civil.month, .day: civil.day, .hour: second / 3_600,
      .minute: second / 60 % 60, .second: second % 60,
    ]
    return parts.reduce(into: "") { text, part in
      switch part {
      case .text(let literal): text += String(decoding: literal, as: UTF8.self)
      case .number(let unit, let digits): text += padded(units[unit] ?? 0, digits)
      case .fraction(let digits):
        let scale = pow(10, Double(digits))
        let scaled = min(((interval - Double(whole)) * scale).rounded(), scale - 1)
        text += padded(Int(scaled), digits)
      case .zone: text += "Z"
      }
    }
  }
}
