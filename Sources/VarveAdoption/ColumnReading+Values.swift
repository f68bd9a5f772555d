import Foundation
import VarveCore

extension ColumnReading {
  /// Returns the reading that a declared type suggests.
  init(declaredType: String) {
    let type = declaredType.uppercased()
    if type.hasPrefix("BOOL") {
      self = .boolean
    } else if type.hasPrefix("DATE") || type.hasPrefix("TIMESTAMP") {
      self = .date
    } else {
      self = .stored
    }
  }

  /// Converts a stored value. A value that does not fit the reading is returned unchanged.
  func value(_ stored: Value) -> Value {
    switch (self, stored) {
    case (.boolean, .int(0)): .bool(false)
    case (.boolean, .int(1)): .bool(true)
    case (.date, .string(let text)), (.milliseconds, .string(let text)):
      DateText.date(text).map { .date($0) } ?? stored
    case (.date, _): date(stored, perSecond: 1) ?? stored
    case (.milliseconds, _): date(stored, perSecond: 1_000) ?? stored
    case (.referenceDate, _): referenceDate(stored) ?? stored
    default: stored
    }
  }

  /// Returns the date that a number counts from 1970, by its decimal digits, or nil: the number is the
  /// same date as a text with these digits. A date is a double, so it would not keep every digit of a
  /// large integer.
  private func date(_ stored: Value, perSecond scale: Int64) -> Value? {
    switch stored {
    case .int(let integer):
      guard Double(exactly: integer) != nil else { return nil }
      return EpochNumber(integer).date(perSecond: scale).flatMap(Self.inYears)
    case .double(let double):
      return EpochNumber(double).date(perSecond: scale).flatMap(Self.inYears)
    default: return nil
    }
  }

  /// Returns the date that a number of seconds counts from 2001, as dates do, or nil.
  private func referenceDate(_ stored: Value) -> Value? {
    switch stored {
    case .int(let integer):
      Double(exactly: integer).map(Date.init(timeIntervalSinceReferenceDate:))
        .flatMap(Self.inYears)
    case .double(let double): Self.inYears(Date(timeIntervalSinceReferenceDate: double))
    default: nil
    }
  }

  private static func inYears(_ date: Date) -> Value? {
    DateText.years.contains(date) ? .date(date) : nil
  }
}

/// Reads dates in the forms that SQLite's functions and libraries write.
enum DateText {
  /// The years 0 to 9999, which SQLite's functions and four digits can express.
  static let years =
    Date(timeIntervalSince1970: -62_167_219_200)..<Date(timeIntervalSince1970: 253_402_300_800)

  /// Returns the date of a text such as `2018-12-08`, `2018-12-08 14:30:00.250` or
  /// `2018-12-08T14:30:00+01:00`, or nil.
  static func date(_ text: String) -> Date? {
    var rest = text.utf8[...]
    guard let year = digits(&rest, 4), skip(&rest, "-"), let month = digits(&rest, 2),
      skip(&rest, "-"), let day = digits(&rest, 2),
      let civil = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var seconds = civil.daysSince1970 * 86_400 - Int(DateReader.secondsToReferenceDate)
    if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
    guard skip(&rest, " ") || skip(&rest, "T"), let hour = digits(&rest, 2), hour < 24,
      skip(&rest, ":"), let minute = digits(&rest, 2), minute < 60
    else { return nil }
    seconds += hour * 3_600 + minute * 60
    var fraction = ""
    if skip(&rest, ":") {
      guard let second = digits(&rest, 2), second < 60 else { return nil }
      seconds += second
      if skip(&rest, ".") {
        let places = rest.prefix { (48...57).contains($0) }
        guard !places.isEmpty else { return nil }
        fraction = String(decoding: places, as: UTF8.self)
        rest = rest.dropFirst(places.count)
      }
    }
    guard let zone = zone(&rest), rest.isEmpty else { return nil }
    let date = DateReader.date(
      wholeSeconds: Int64(seconds - zone),
      fraction: fraction.isEmpty ? "0" : fraction
    )
    return date.flatMap { years.contains($0) ? $0 : nil }
  }

  private static func zone(_ rest: inout Substring.UTF8View) -> Int? {
    if rest.isEmpty || skip(&rest, "Z") || skip(&rest, "z") { return 0 }
    let sign = skip(&rest, "+") ? 1 : skip(&rest, "-") ? -1 : 0
    guard sign != 0, let hours = digits(&rest, 2), hours < 24 else { return nil }
    // PostgreSQL writes hours alone.
    if rest.isEmpty { return sign * hours * 3_600 }
    _ = skip(&rest, ":")
    guard let minutes = digits(&rest, 2), minutes < 60 else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }

  private static func skip(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func digits(_ rest: inout Substring.UTF8View, _ count: Int) -> Int? {
    let text = rest.prefix(count)
    guard text.count == count, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return text.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
