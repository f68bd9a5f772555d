/// A locale's name, written so that the ways to spell it are one: `es_MX.UTF-8` is `es-mx`.
struct LocaleName {
  /// The parts in lower case, `-` between them.
  let text: String

  init(_ name: String) {
    // An encoding or a modifier, as systems write them, says nothing about the language.
    let language = name.prefix { $0 != "." && $0 != "@" }
    let parts = language.lowercased().split { $0 == "-" || $0 == "_" }
    text = parts.prefix(Self.mostParts).joined(separator: "-")
  }

  /// The locale, all it is a variety of, and English.
  var fallbacks: [String] {
    let parts = text.split(separator: "-")
    let names = (0..<parts.count).map { parts.dropLast($0).joined(separator: "-") }
    return names.contains("en") ? names : names + ["en"]
  }

  /// More parts than any real name has; others' input makes no more work than that.
  private static let mostParts = 8
}
