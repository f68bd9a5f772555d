extension VarveError {
  /// Returns the error of something that breaks rules of its model; ``violations`` contains all of
  /// them.
  ///
  /// ```swift
  /// let blank = ValidationError(model: "Hat", key: "color", message: "blank")
  /// print(VarveError.validationFailed([blank]))
  /// // validationFailed: Hat is not valid: color must not be blank (at Hat, color).
  /// // Correct it and write again.
  /// ```
  ///
  /// - Parameter violations: the broken rules, at least one; an empty array is a programmer error
  ///   and traps.
  public static func validationFailed(_ violations: [ValidationError]) -> VarveError {
    precondition(!violations.isEmpty, "a failed validation names what it violates")
    let models = violations.map(\.model).unique
    let message =
      models.count == 1
      ? "\(models[0].shortened) is not valid: " + listed(violations.map(\.sentence), by: "; ")
      : "\(listed(models, by: ", ")) are not valid: "
        + listed(violations.map(\.description), by: "; ")
    let places = models.map { model in
      let keys = violations.filter { $0.model == model }.map(\.key)
      return "\(model.shortened), \(listed(keys.unique, by: ", "))"
    }
    return VarveError(
      .validationFailed,
      message,
      at: listed(places, by: "; "),
      remedy: "Correct \(violations.count == 1 ? "it" : "them") and write again.",
      violations: violations
    )
  }

  /// Returns the first few texts and the number of the others, because an error is a line, not a
  /// report.
  private static func listed(_ texts: [String], by separator: String) -> String {
    let most = 5
    let shown = texts.prefix(most).map(\.shortened).joined(separator: separator)
    return texts.count > most ? "\(shown)\(separator)and \(texts.count - most) more" : shown
  }
}

extension String {
  /// The text, truncated to fit in a line; names may be long.
  var shortened: String {
    let most = 200
    guard utf8.count > most, let end = index(startIndex, offsetBy: most, limitedBy: endIndex),
      end < endIndex
    else { return self }
    return self[..<end] + "…"
  }
}

extension [String] {
  /// Each text once, at its first position.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
