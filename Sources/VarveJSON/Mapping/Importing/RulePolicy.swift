/// The policy for an import that violates the rules of a model.
public enum RulePolicy: String, Hashable, Sendable, CaseIterable {
  /// The import is written, and the report lists the violations with their places.
  case report
  /// The import throws `validationFailed` with the first violation, and nothing is written.
  case refuse
}
