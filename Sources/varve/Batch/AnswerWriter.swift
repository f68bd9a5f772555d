import VarveJSON

/// Collects answers and prints them together while more operations are waiting.
struct AnswerWriter {
  private static let fullByteCount = 1 << 16

  private var text = ""

  /// Adds an answer.
  ///
  /// - Parameter isLast: whether whoever asks waits for it now.
  mutating func add(_ answer: JSON, isLast: Bool) throws {
    text += answer.text
    text += "\n"
    if isLast || text.utf8.count >= Self.fullByteCount { try flush() }
  }

  /// Prints what was collected.
  mutating func flush() throws {
    guard !text.isEmpty else { return }
    try Output.text(text)
    text = ""
  }
}
