#if CommandLine
import Foundation

/// Reads a line from a terminal with the usual keys: arrows, Home, End, ^A, ^E, ^B, ^F, ^K, ^U, ^W, ^L,
/// Backspace, Delete, Tab; up and down find earlier lines.
///
/// The terminal is in raw mode only while a line is read. A line that is wider than the terminal
/// scrolls sideways.
struct LineEditor {
  private var earlier: [String]
  private var line = EditedLine()

  private static let mostEarlier = 1_000
  private static let mostCandidates = 40

  /// What was typed.
  enum Line {
    case text(String)
    /// ^C.
    case cancelled
    /// ^D on an empty line, or the terminal is gone.
    case end
  }

  init(history: [String]) { earlier = history }

  /// Adds a line to those that the arrow keys find.
  mutating func remember(_ text: String) {
    guard !text.isEmpty, earlier.last != text else { return }
    earlier.append(text)
    if earlier.count > Self.mostEarlier { earlier.removeFirst() }
  }

  /// Reads a line.
  ///
  /// - Parameter offer: returns the words to which the last one of a text can be completed.
  mutating func read(
    _ prompt: String,
    completing offer: (String) async -> ShellCompletion.Offer
  ) async -> Line {
    guard let mode = RawMode() else {
      return readLine(strippingNewline: true).map(Line.text) ?? .end
    }
    defer { mode.end() }
    line = EditedLine()
    var place = earlier.count
    var draft = ""
    show(prompt)
    while let key = TerminalKey.next() {
      switch key {
      case .enter:
        write("\r\n")
        return .text(line.text)
      case .endOfInput where line.text.isEmpty:
        write("\r\n")
        return .end
      case .cancel:
        write("^C\r\n")
        return .cancelled
      case .up where place > 0:
        if place == earlier.count { draft = line.text }
        place -= 1
        line = EditedLine(earlier[place])
      case .down where place < earlier.count:
        place += 1
        line = EditedLine(place == earlier.count ? draft : earlier[place])
      case .tab: complete(await offer(line.beforeCursor))
      case .clear: write("\u{1B}[H\u{1B}[2J")
      default: line.apply(key)
      }
      show(prompt)
    }
    return .end
  }

  /// Completes the word before the cursor as far as the candidates agree, or lists them.
  private mutating func complete(_ offer: ShellCompletion.Offer) {
    let (words, count) = (offer.candidates, offer.typed.count)
    guard let first = words.first else { return write("\u{07}") }
    let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if words.count == 1 {
      line.replace(count, by: first + " ")
    } else if common.count > count {
      line.replace(count, by: common)
    } else {
      let more = words.count > Self.mostCandidates ? "  …" : ""
      let shown = words.prefix(Self.mostCandidates).joined(separator: "  ") + more
      write("\r\n\(shown.printable)\r\n")
    }
  }

  /// Draws the line anew, scrolled so that the cursor is in sight.
  private func show(_ prompt: String) {
    let width = max(10, (Output.columns ?? 80) - prompt.displayWidth - 1)
    var before = line.beforeCursor.printable
    while before.displayWidth > width { before.removeFirst() }
    let after = line.afterCursor.printable.prefix(displayWidth: width - before.displayWidth)
    let column = prompt.displayWidth + before.displayWidth
    write("\r\u{1B}[K\(Style.bold(prompt, on: STDOUT_FILENO))\(before)\(after)\r\u{1B}[\(column)C")
  }

  private func write(_ text: String) { try? Output.text(text) }
}
#endif
