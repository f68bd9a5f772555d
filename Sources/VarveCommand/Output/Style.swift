#if CommandLine
import Foundation

/// How a text stands out on a terminal.
enum Style: String {
  case bold = "1"
  case dim = "2"
  case red = "1;31"
  case yellow = "33"

  /// Returns the text in this style, if a descriptor is a terminal that shows styles.
  func callAsFunction(_ text: String, on descriptor: Int32) -> String {
    Self.areShown(on: descriptor) ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Whether a descriptor is a terminal, and neither `NO_COLOR` nor a terminal without styles says
  /// otherwise; see https://no-color.org.
  static func areShown(on descriptor: Int32) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }
}
#endif
