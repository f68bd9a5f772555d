public import VarveCore

/// What a record breaks of its model's rules, as an immutable value: every check answers a new
/// validation, with the errors so far and perhaps one more.
///
/// A missing value passes every check but ``presence(of:_:)-(_,Value?)``: what is optional may be
/// left out, and must be right if it is there.
///
/// ```swift
/// let validation = Validation(model: "Hat")
///   .presence(of: "color", color)
///   .length(of: "color", color, 1...40)
///   .bounds(of: "brimSize", brimSize, 5...15)
/// try validation.requireValid()
/// ```
public struct Validation: Hashable, Sendable {
  /// The name of what is validated: the first word of the keys its messages are looked up by.
  public let model: String
  /// What is broken, in the order of the checks.
  public private(set) var errors: [ValidationError] = []

  /// Begins: nothing is broken yet.
  public init(model: String) { self.model = model }

  /// Whether nothing is broken.
  public var isValid: Bool { errors.isEmpty }

  /// The errors under one key, in the order of the checks.
  public func errors(for key: String) -> [ValidationError] { errors.filter { $0.key == key } }

  /// Throws what is broken, if anything is.
  ///
  /// - Throws: ``VarveError`` with code `validationFailed` and all errors as its `violations`.
  public func requireValid() throws {
    guard isValid else { throw VarveError.validationFailed(errors) }
  }

  /// Adds an error.
  ///
  /// ```swift
  /// let strange = Validation(model: "Hat").adding(
  ///   key: "owner", message: "strange", data: ["who": "me"])
  /// ```
  ///
  /// - Parameters:
  ///   - key: the property that is wrong.
  ///   - message: the name of the rule it breaks.
  ///   - data: what a text can tell of it, by name.
  public func adding(key: String, message: String, data: [String: String] = [:]) -> Validation {
    adding([ValidationError(model: model, key: key, message: message, data: data)])
  }

  /// Adds errors, those of something nested, say. They keep their own model.
  public func adding(_ errors: [ValidationError]) -> Validation {
    var validation = self
    validation.errors += errors
    return validation
  }

  /// Adds what a check of your own finds.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat").custom {
  ///   guard color == "red", brimSize > 10 else { return [] }
  ///   return [ValidationError(model: "Hat", key: "brimSize", message: "tooWideForRed")]
  /// }
  /// ```
  ///
  /// What must wait for something, a read of the store, say, is found first and added by
  /// ``adding(_:)``.
  ///
  /// - Throws: what the check throws.
  public func custom(_ check: () throws -> [ValidationError]) rethrows -> Validation {
    adding(try check())
  }
}
