/// A rule that a value breaks: of what model, under which key, which rule, and its particulars.
///
/// `message` names the rule; the text people read is made from it, in their language, by `Messages`
/// of the module `VarveStore`. The names `blank`, `tooLow`, `tooHigh`, `tooShort`, `tooLong`,
/// `mismatch` and `taken` have an English text built in.
///
/// ```swift
/// let error = ValidationError(
///   model: "Hat", key: "brimSize", message: "tooLow", data: ["min": "5"])
/// print(error)  // Hat.brimSize must be at least 5
/// ```
public struct ValidationError: Error, Hashable, Sendable, Codable {
  /// What was validated: a type's label, or whatever name its validation gave it.
  public let model: String
  /// The property that breaks the rule; several by their sorted names, joined by `_`.
  public let key: String
  /// The rule's name, such as `tooLow`.
  public let message: String
  /// What a text can tell of the rule, by name: `min`, say.
  public let data: [String: String]

  /// Creates an error. Two are equal if all four parts are.
  public init(model: String, key: String, message: String, data: [String: String] = [:]) {
    self.model = model
    self.key = key
    self.message = message
    self.data = data
  }
}

extension ValidationError: CustomStringConvertible {
  /// `model.key` and what is wrong with it, in English; the rule's name where it has no text.
  public var description: String { "\(model).\(sentence)" }

  /// The key and what is wrong with it.
  var sentence: String {
    let text = Self.englishTexts[message].map(interpolated) ?? "is \"\(message)\""
    return "\(key) \(text)"
  }
}
