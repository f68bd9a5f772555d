extension StringProtocol {
  /// The text as a log shows it: on one line, without characters that control a terminal or change
  /// the order of what is shown.
  package var logged: String { escaped { $0 == "\\" || $0.isInvisible } }

  /// ``logged``, in quotation marks if the end of the text would not be clear on a line of several.
  package var loggedField: String {
    let text = logged
    guard text.isEmpty || text.contains(where: { $0 == " " || $0 == "\"" }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\\"") + "\""
  }
}

extension Unicode.Scalar {
  /// Whether it controls something, ends a line, or changes the direction.
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      true
    default: false
    }
  }
}
