public import VarveCore

/// The texts for validation errors, in any number of languages.
///
/// Texts are found by locale and key. For an error `tooLow` of the property `brimSize` of a `Hat`,
/// these keys are tried in order: `hat.errors.brim_size.too_low`, `hat.errors.too_low`,
/// `model.errors.brim_size.too_low`, `model.errors.too_low`. Each key is tried in the locale, then
/// in the locales it is a variety of (`zh-Hant-TW`, `zh-Hant`, `zh`), then in English, before the
/// next key. If there is no text, the name of the rule is used.
///
/// ```swift
/// let messages = Messages.standard.merging(
///   Messages(["es": ["hat.errors.too_low": #"debe ser al menos \(min)"#]]))
/// let error = ValidationError(
///   model: "Hat", key: "brimSize", message: "tooLow", data: ["min": "5"])
/// print(messages.text(for: error, locale: "es_MX"))  // debe ser al menos 5
/// print(messages.text(for: error, locale: "fr"))  // must be at least 5
/// ```
///
/// Names are in snake case in keys: `brim_size` for `brimSize`, `url_path` for `URLPath`, `id2` for
/// `id2`. A text may contain names from the error's `data`: `\(min)`.
public struct Messages: Hashable, Sendable {
  /// The texts by key by locale; locales are in lower case, with `-` between their parts.
  private var texts: [String: [String: String]] = [:]

  /// English texts for the rules that ``Validation`` checks. They have the most general keys, so
  /// any other text takes precedence.
  public static let standard = Messages([
    "en": Dictionary(
      uniqueKeysWithValues: ValidationError.englishTexts.map {
        ("model.errors.\($0.key.underscored)", $0.value)
      }
    )
  ])

  /// Creates messages from texts by locale and key. No texts are built in: merge ``standard`` for
  /// those.
  ///
  /// Locales are compared case-insensitively, and `_` equals `-`. If two of them are equal and
  /// share a key, the text of the one that sorts last is used.
  public init(_ texts: [String: [String: String]] = [:]) {
    for (locale, byKey) in texts.sorted(by: { $0.key < $1.key }) {
      self.texts[LocaleName(locale).text, default: [:]].merge(byKey) { $1 }
    }
  }

  /// Returns these texts merged with others. If several have a text for a locale and key, the last
  /// one is used.
  ///
  /// - Complexity: O(texts).
  public func merging(_ others: Messages...) -> Messages {
    var merged = self
    for other in others {
      merged.texts.merge(other.texts) { $0.merging($1) { $1 } }
    }
    return merged
  }

  /// Returns the text for an error, with the error's data inserted.
  ///
  /// Insertion is not recursive: tokens in inserted values stay as they are, and so do tokens
  /// without data.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - locale: the language, such as `es`, `es-MX` or `es_MX`.
  /// - Complexity: O(length of the text), with constant-time lookups of keys.
  public func text(for error: ValidationError, locale: String = "en") -> String {
    let locales = LocaleName(locale).fallbacks
    for key in Self.keys(for: error) {
      for locale in locales {
        if let text = texts[locale]?[key] { return error.interpolated(text) }
      }
    }
    return error.message
  }

  /// Returns the keys of an error, the most specific first.
  private static func keys(for error: ValidationError) -> [String] {
    let (key, message) = (error.key.underscored, error.message.underscored)
    return [error.model.underscored, "model"].flatMap {
      ["\($0).errors.\(key).\(message)", "\($0).errors.\(message)"]
    }
  }
}
