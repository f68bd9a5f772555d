public import VarveCore

/// The violations of a model's rules by a record, as an immutable value. Every check returns a new
/// validation, with the errors so far and those it adds.
///
/// A missing value passes every check except ``presence(of:_:)-(_,Value?)``: an optional value may
/// be missing, but must be valid if present.
///
/// ```swift
/// let validation = Validation(model: "Hat")
///   .presence(of: "color", color)
///   .length(of: "color", color, 1...40)
///   .bounds(of: "brimSize", brimSize, 5...15)
/// try validation.requireValid()
/// ```
public struct Validation: Hashable, Sendable {
  /// The name of the model, which is the first word of the keys of its messages.
  public let model: String
  /// The violations, in the order of the checks.
  public private(set) var errors: [ValidationError] = []
  private var passage = Passage()

  /// Creates a validation without errors.
  public init(model: String) { self.model = model }

  /// Whether there are no errors.
  public var isValid: Bool { errors.isEmpty }

  /// Returns the errors of one key, in the order of the checks.
  public func errors(for key: String) -> [ValidationError] { errors.filter { $0.key == key } }

  /// Throws the errors, if there are any.
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
  ///   - key: the invalid property.
  ///   - message: the name of the rule that is violated.
  ///   - data: named values for the text of the message.
  public func adding(key: String, message: String, data: [String: String] = [:]) -> Validation {
    adding([ValidationError(model: model, key: key, message: message, data: data)])
  }

  /// Adds errors, for example those of a nested value. They keep their own model.
  public func adding(_ errors: [ValidationError]) -> Validation {
    var validation = self
    validation.errors += errors
    return validation
  }

  /// Adds the errors that a custom check returns.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat").custom {
  ///   guard color == "red", brimSize > 10 else { return [] }
  ///   return [ValidationError(model: "Hat", key: "brimSize", message: "tooWideForRed")]
  /// }
  /// ```
  ///
  /// The check is synchronous. Await a read of the store first, and add its errors with
  /// ``adding(_:)``.
  ///
  /// - Throws: the errors of the check.
  public func custom(_ check: () throws -> [ValidationError]) rethrows -> Validation {
    adding(try check())
  }
}

/// Models without rules of their own.
extension Validation {
  /// The model whose default `validate` returned the validation. It is not a part of its value.
  fileprivate struct Passage: Hashable, Sendable {
    var model: ObjectIdentifier?

    static func == (_: Passage, _: Passage) -> Bool { true }

    func hash(into _: inout Hasher) {}
  }

  /// Returns the validation, marked as that of a model without rules of its own.
  func passed(by model: any Persistable.Type) -> Validation {
    var validation = self
    validation.passage.model = ObjectIdentifier(model)
    return validation
  }

  /// Returns whether the model that returned the validation has no rules of its own.
  func isPassed(by model: any Persistable.Type) -> Bool {
    passage.model == ObjectIdentifier(model)
  }
}
