/// A rule that a value breaks: the model, the key, the rule and its parameters.
///
/// `message` names the rule; `Messages` of the module `VarveStore` turns it into text in the user's
/// language. The names `blank`, `tooLow`, `tooHigh`, `tooShort`, `tooLong`, `mismatch` and `taken`
/// have a built-in English text.
///
/// ```swift
/// let error = ValidationError(
///   model: "Hat", key: "brimSize", message: "tooLow", data: ["min": "5"])
/// print(error)  // Hat.brimSize must be at least 5
/// ```
public struct ValidationError: Error, Hashable, Sendable, Codable {
  /// The type label of the validated object, or another name that the validation has.
  public let model: String
  /// The property that breaks the rule; several properties as their sorted names, joined by `_`.
  public let key: String
  /// The rule's name, such as `tooLow`.
  public let message: String
  /// The rule's parameters by name, such as `min`, for use in texts.
  public let data: [String: String]

  /// Creates an error. Two errors are equal if all four parts are.
  public init(model: String, key: String, message: String, data: [String: String] = [:]) {
    self.model = model
    self.key = key
    self.message = message
    self.data = data
  }
}

extension ValidationError: CustomStringConvertible {
  /// `model.key` and its fault in English; the rule's name if it has no text.
  public var description: String { "\(model).\(sentence)" }

  /// The key and its fault.
  var sentence: String {
    let text = Self.englishTexts[message].map(interpolated) ?? "is \"\(message)\""
    return "\(key) \(text)"
  }
}
