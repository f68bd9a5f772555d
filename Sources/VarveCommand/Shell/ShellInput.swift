#if CommandLine
import Foundation

/// A line of a shell session, told apart by its first word.
enum ShellInput {
  case nothing
  /// A command of the session: `.at 2018`.
  case session(name: String, argument: String)
  /// An SQL statement.
  case sql(String)
  /// A command of `varve` with its arguments, without the store.
  case command([String])
  /// The line ends inside quotes, or a statement without its semicolon.
  case unfinished

  private static let statements: Set<String> = ["select", "with", "values", "explain"]

  /// Returns whether a line begins as an SQL statement.
  static func isStatement(_ line: String) -> Bool {
    let first = line.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
    return statements.contains(first.lowercased())
  }

  init(_ text: String) {
    let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let first = line.prefix { !$0.isWhitespace }
    if line.isEmpty || line.hasPrefix("#") {
      self = .nothing
    } else if line.hasPrefix(".") {
      let argument = line.dropFirst(first.count).trimmingCharacters(in: .whitespaces)
      self = .session(name: String(first.dropFirst()), argument: argument)
    } else if Self.isStatement(line) {
      self = line.hasSuffix(";") ? .sql(String(line.dropLast())) : .unfinished
    } else {
      let words = ShellWords(line)
      self = words.openQuote == nil ? .command(words.words) : .unfinished
    }
  }
}
#endif
