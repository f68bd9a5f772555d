/// What becomes of an import that breaks the rules of a model.
public enum RulePolicy: String, Hashable, Sendable, CaseIterable {
  /// It is written, and the report lists what is broken, with its place.
  case report
  /// It throws `validationFailed` with the first that is broken, and nothing is written.
  case refuse
}
