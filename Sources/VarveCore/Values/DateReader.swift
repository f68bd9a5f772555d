package import Foundation

/// Parses dates in the forms that people and programs write: ISO 8601, or a day alone.
///
/// A day alone is its first moment; a time without a zone is in UTC. Fractions of a second are
/// exact.
package enum DateReader {
  /// The accepted forms, for messages.
  package static let forms = "2018-12-08, 2018-12-08T14:30:00Z or 2018-12-08T14:30:00.250+01:00"

  /// Returns the date of a text, or nil if it is not a date.
  package static func read(_ text: String) -> Date? {
    if let date = usual(text) { return date }
    let pattern =
      /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,15}))?)?(Z|[+-]\d\d:?\d\d)?)?/
      .asciiOnlyDigits()
    guard let match = text.wholeMatch(of: pattern)?.output,
      let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
      let civil = CivilDate(year: year, month: month, day: day),
      let second = seconds(hour: match.4, minute: match.5, second: match.6),
      let zone = zoneOffset(match.8)
    else { return nil }
    let wholeSeconds =
      Int64(civil.daysSince1970) * 86_400 + Int64(second - zone) - secondsToReferenceDate
    return date(wholeSeconds: wholeSeconds, fraction: String(match.7 ?? "0"))
  }

  /// The seconds from 1970 to 2001, from which Foundation counts.
  package static let secondsToReferenceDate: Int64 = 978_307_200

  private static func seconds(
    hour: Substring?,
    minute: Substring?,
    second: Substring?
  ) -> Int? {
    guard let hour = Int(hour ?? "0"), let minute = Int(minute ?? "0"),
      let second = Int(second ?? "0"), hour < 24, minute < 60, second < 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func zoneOffset(_ text: Substring?) -> Int? {
    guard let text, text != "Z" else { return 0 }
    let digits = text.filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24,
      minutes < 60
    else { return nil }
    return (text.hasPrefix("-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }

  /// Returns a date from decimal digits, rounded once, so that the output of ``DateWriter`` is read
  /// exactly. It stays in its second: `23:59:59.9999999` is no moment of the next day, or of the year
  /// 10000.
  package static func date(wholeSeconds: Int64, fraction: String) -> Date? {
    let digits = wholeSeconds < 0 ? complement(fraction) : fraction
    let borrowed = wholeSeconds < 0 && digits.contains { $0 != "0" }
    let sign = wholeSeconds < 0 ? "-" : ""
    return Double("\(sign)\((wholeSeconds + (borrowed ? 1 : 0)).magnitude).\(digits)")
      .map { Date(timeIntervalSinceReferenceDate: min($0, Double(wholeSeconds + 1).nextDown)) }
  }

  /// Returns the digits of one minus a fraction; zero stays zero. The calculation is digit by
  /// digit, because no integer holds as many digits as a double may have.
  package static func complement(_ digits: String) -> String {
    var bytes = Array(digits.utf8)
    let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
    guard let last = bytes.lastIndex(where: { $0 != zero }),
      bytes.allSatisfy({ (zero...nine).contains($0) })
    else { return digits }
    for index in 0..<last { bytes[index] = nine - bytes[index] + zero }
    bytes[last] = nine - bytes[last] + zero + 1
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DateReader {
  /// Parses the common form `2018-12-08T14:30:00Z`, with or without a fraction, by a fast path.
  /// Returns nil for any other form.
  private static func usual(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
        bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
        bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
        let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
        let day = number(bytes[8..<10]), let hour = number(bytes[11..<13]),
        let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]), hour < 24,
        minute < 60, second < 60, let civil = CivilDate(year: year, month: month, day: day)
      else { return nil }
      let seconds = hour * 3_600 + minute * 60 + second
      let whole = Int64(civil.daysSince1970) * 86_400 + Int64(seconds) - secondsToReferenceDate
      if bytes.count == 20 { return Date(timeIntervalSinceReferenceDate: Double(whole)) }
      let fraction = bytes[20..<bytes.count - 1]
      guard bytes[19] == UInt8(ascii: "."), (1...15).contains(fraction.count),
        number(fraction) != nil
      else { return nil }
      return date(wholeSeconds: whole, fraction: String(decoding: fraction, as: UTF8.self))
    }
  }

  /// Returns the number that decimal digits represent.
  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var number = 0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}
