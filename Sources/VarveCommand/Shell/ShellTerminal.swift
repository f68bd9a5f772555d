#if CommandLine
import Foundation
import VarveStore

/// The terminal of a session: its line editor, its history and its completions.
final class ShellTerminal {
  private var editor: LineEditor
  private let history = ShellHistory()
  private let completion: ShellCompletion
  /// Whether lines are kept after the session: not those about an encrypted store, whose values they
  /// contain.
  private let keepsLines: Bool

  init(_ store: String) {
    editor = LineEditor(history: history.lines)
    completion = ShellCompletion(store)
    keepsLines = !Store.seemsEncrypted(at: store)
    Output.note("\(store.printable): .help lists what there is; .quit or ^D ends.")
  }

  /// Returns the next line.
  func line(_ prompt: String) async -> LineEditor.Line {
    await editor.read(prompt) { [completion] in await completion.offer($0) }
  }

  /// Remembers what was run.
  func keep(_ text: String) {
    let line = text.replacing("\n", with: " ")
    editor.remember(line)
    if keepsLines { history.add(line) }
  }

  /// Ends the session.
  func end() { history.trim() }
}
#endif
