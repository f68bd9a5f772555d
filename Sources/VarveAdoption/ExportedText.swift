import Foundation
import VarveCore

/// Values as other programs read them.
enum ExportedText {
  /// Returns the value of an SQLite column. Dates are texts as SQLite's functions write them, in
  /// UTC; arrays and dictionaries are JSON.
  static func stored(_ value: Value) -> Value {
    switch value {
    case .bool, .int, .string, .data: value
    // SQLite has no NaN, and reads one as null.
    case .double(let number): number.isNaN ? .string("NaN") : value
    case .date(let date):
      text(of: date, separator: " ", zone: "").map { .string($0) }
        ?? stored(.double(date.timeIntervalSince1970))
    case .reference(let id): .string(id.text)
    case .array, .dictionary: .string(json(value))
    }
  }

  /// Returns the text of a field.
  static func field(_ value: Value) -> String {
    switch value {
    case .bool(let truth): truth ? "true" : "false"
    case .int(let number): String(number)
    case .double(let number): number.isNaN ? "NaN" : "\(number)"
    case .string(let text): text
    case .date(let date):
      text(of: date, separator: "T", zone: "Z") ?? "\(date.timeIntervalSince1970)"
    case .data(let data): data.base64EncodedString()
    case .reference(let id): id.text
    case .array, .dictionary: json(value)
    }
  }

  /// Returns a line of fields (RFC 4180). A field without a value is empty, and an empty text is
  /// quoted.
  static func line(_ fields: [String?]) -> String {
    fields.map { $0.map(quoted) ?? "" }.joined(separator: ",") + "\r\n"
  }

  /// Returns the line of headings. Those with another usual separator are quoted, so that it cannot
  /// be taken for the separator of the file.
  static func heading(_ names: [String]) -> String {
    names.map { quoted($0, ifAny: ",\"\r\n;\t|") }.joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ field: String) -> String { quoted(field, ifAny: ",\"\r\n") }

  private static func quoted(_ field: String, ifAny special: String) -> String {
    let scalars = field.unicodeScalars
    let isPlain = !scalars.isEmpty && !scalars.contains { special.unicodeScalars.contains($0) }
    guard !isPlain else { return field }
    // By scalar: a mark may combine with a quote, which is then not a character of its own.
    var text = "\""
    for scalar in scalars {
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  // MARK: Dates

  /// Returns a date in the years 0 to 9999 as text, with milliseconds, and with more digits if it is
  /// no whole millisecond; nil for any other. Reading it again gives the same date.
  static func text(of date: Date, separator: String, zone: String) -> String? {
    guard DateText.years.contains(date) else { return nil }
    let interval = date.timeIntervalSinceReferenceDate
    let fraction = fraction(of: interval)
    let seconds = Int(interval.rounded(.down)) + Int(DateReader.secondsToReferenceDate)
    let (days, rest) = seconds.quotientAndRemainderDown(by: 86_400)
    let (year, month, day) = civil(daysSince1970: days)
    let time = [(rest / 3_600, 2), (rest / 60 % 60, 2), (rest % 60, 2)]
      .map(padded).joined(separator: ":")
    let text = [(year, 4), (month, 2), (day, 2)].map(padded).joined(separator: "-")
    return text + separator + time + "." + fraction + zone
  }

  /// Returns the digits of the fraction of a second, at least three.
  private static func fraction(of interval: Double) -> String {
    let digits = interval.magnitude.description
    var fraction: String
    if let letter = digits.firstIndex(of: "e") {
      // Within the range of dates, only a fraction near zero is written with a power of ten.
      let power = -(Int(digits[digits.index(after: letter)...]) ?? 0)
      let significand = digits[..<letter].filter { $0 != "." }
      fraction = String(repeating: "0", count: max(0, power - 1)) + significand
    } else {
      fraction = digits.firstIndex(of: ".").map { String(digits[digits.index(after: $0)...]) } ?? ""
    }
    if interval < 0 { fraction = DateReader.complement(fraction) }
    return fraction + String(repeating: "0", count: max(0, 3 - fraction.utf8.count))
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// Returns the date of a day. Source: Howard Hinnant, *chrono-Compatible Low-Level Date
  /// Algorithms*.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainderDown(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let place = (5 * dayOfYear + 2) / 153
    let month = place < 10 ? place + 3 : place - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * place + 2) / 5 + 1)
  }

  // MARK: JSON

  /// Returns an array or a dictionary as JSON: dates in ISO 8601, data in base64, references as
  /// identifiers, numbers that are not finite as texts.
  static func json(_ value: Value) -> String {
    switch value {
    case .bool, .int: field(value)
    case .double(let number): number.isFinite ? field(value) : string(field(value))
    case .string, .date, .data, .reference: string(field(value))
    case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
    case .dictionary(let fields):
      "{"
        + fields.sorted { $0.key < $1.key }.map { string($0.key.text) + ":" + json($0.value) }
        .joined(separator: ",") + "}"
    }
  }

  private static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        json += "\\"
        json.unicodeScalars.append(scalar)
      case "\n": json += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}

extension Int {
  /// Returns the quotient rounded down, and the remainder, which is not negative.
  fileprivate func quotientAndRemainderDown(by divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
