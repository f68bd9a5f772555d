#if CommandLine
import VarveJSON

/// Collects results, and prints them together while more operations are waiting.
struct AnswerWriter {
  private static let fullByteCount = 1 << 16

  private var text = ""

  /// Whether enough was collected to print.
  var isFull: Bool { text.utf8.count >= Self.fullByteCount }

  /// Adds a result.
  mutating func add(_ answer: JSON) {
    text += answer.text
    text += "\n"
  }

  /// Prints the collected results.
  mutating func flush() throws {
    guard !text.isEmpty else { return }
    try Output.documents(text)
    text = ""
  }
}
#endif
