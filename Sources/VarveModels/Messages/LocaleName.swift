/// The normalised name of a locale: `es-mx` for `es_MX.UTF-8`.
struct LocaleName {
  /// The parts in lower case, joined by `-`.
  let text: String

  init(_ name: String) {
    // System locales may end in an encoding or a modifier, which does not affect the language.
    let language = name.prefix { $0 != "." && $0 != "@" }
    let parts = language.lowercased().split { $0 == "-" || $0 == "_" }
    text = parts.prefix(Self.mostParts).joined(separator: "-")
  }

  /// The locale, the locales it is a variety of, and English.
  var fallbacks: [String] {
    let parts = text.split(separator: "-")
    let names = (0..<parts.count).map { parts.dropLast($0).joined(separator: "-") }
    return names.contains("en") ? names : names + ["en"]
  }

  /// More parts than any real name has, to bound the work on untrusted input.
  private static let mostParts = 8
}
