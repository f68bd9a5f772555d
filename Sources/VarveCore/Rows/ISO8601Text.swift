package import Foundation

/// Dates as text in ISO 8601: `2021-05-05T05:05:05Z`, with or without fractions of a second, or the
/// day alone, which begins at midnight UTC.
package enum ISO8601Text {
  /// Returns the date of a text; nil if the text is not a date.
  package static func date(_ text: String) -> Date? {
    guard text.utf8.count >= 10, text.utf8.count <= 40 else { return nil }
    for style in styles {
      if let date = try? style.parse(text) { return date }
    }
    return nil
  }

  /// Returns a time as text, to the millisecond.
  package static func text(_ time: HybridTime) -> String {
    let date = Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1_000)
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  private static let styles: [Date.ISO8601FormatStyle] = [
    .iso8601,
    Date.ISO8601FormatStyle(includingFractionalSeconds: true),
    Date.ISO8601FormatStyle().year().month().day(),
  ]
}
