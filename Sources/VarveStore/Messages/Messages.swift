public import VarveCore

/// The texts that errors of validations are told by, in any number of languages.
///
/// A text stands under a locale and a key. For an error of `Hat` whose `brimSize` is `tooLow` these
/// keys are tried, in this order: `hat.errors.brim_size.too_low`, `hat.errors.too_low`,
/// `model.errors.brim_size.too_low`, `model.errors.too_low`. Each is tried in the locale, then in
/// what the locale is a variety of (`zh-Hant-TW`, `zh-Hant`, `zh`), then in English, before the next
/// key. Where none has a text, the rule's name is the text.
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
/// Names are underscored in keys: `brimSize` is `brim_size`, `URLPath` is `url_path`, `id2` is
/// `id2`. A text may name what the error's `data` has: `\(min)`.
public struct Messages: Hashable, Sendable {
  /// The texts by key by locale; the locales in lower case, with `-` between their parts.
  private var texts: [String: [String: String]] = [:]

  /// English texts for the rules that ``Validation`` checks, as generic as can be: all others are
  /// preferred to them.
  public static let standard = Messages([
    "en": Dictionary(
      uniqueKeysWithValues: ValidationError.englishTexts.map {
        ("model.errors.\($0.key.underscored)", $0.value)
      }
    )
  ])

  /// Takes texts, by locale and key. Nothing is built in: merge ``standard`` for that.
  ///
  /// Locales are compared without regard to case, and `_` is `-`. Where two of them are the same
  /// and share a key, the text of the one that sorts last counts.
  public init(_ texts: [String: [String: String]] = [:]) {
    for (locale, byKey) in texts.sorted(by: { $0.key < $1.key }) {
      self.texts[LocaleName(locale).text, default: [:]].merge(byKey) { $1 }
    }
  }

  /// These texts and others; of a locale's key that several have, the last has its way.
  ///
  /// - Complexity: O(texts).
  public func merging(_ others: Messages...) -> Messages {
    var merged = self
    for other in others {
      merged.texts.merge(other.texts) { $0.merging($1) { $1 } }
    }
    return merged
  }

  /// What is said of an error: the first text there is, with the error's data put in.
  ///
  /// The data is put in once: a value that looks like a token stays as it is, and so does a token
  /// the data has nothing for.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - locale: the language, such as `es`, `es-MX` or `es_MX`.
  /// - Complexity: O(length of the text): keys are looked up.
  public func text(for error: ValidationError, locale: String = "en") -> String {
    let locales = LocaleName(locale).fallbacks
    for key in Self.keys(for: error) {
      for locale in locales {
        if let text = texts[locale]?[key] { return error.interpolated(text) }
      }
    }
    return error.message
  }

  /// The keys of an error, the most special first.
  private static func keys(for error: ValidationError) -> [String] {
    let (key, message) = (error.key.underscored, error.message.underscored)
    return [error.model.underscored, "model"].flatMap {
      ["\($0).errors.\(key).\(message)", "\($0).errors.\(message)"]
    }
  }
}
