/// A piece of code between `// snippet: FILE` and `// end` in a test, and its copy in FILE.
struct Snippet: Hashable {
  var document: String
  var code: String

  /// The pieces in a source text, their indentation taken off.
  static func all(in source: String) -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (document: String, indentation: Int, lines: [Substring])?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if text.hasPrefix(marker) {
        open = (String(text.dropFirst(marker.count)), line.count - text.count, [])
      } else if text == "// end", let done = open {
        snippets.append(Snippet(document: done.document, code: joined(done.lines)))
        open = nil
      } else if let indentation = open?.indentation {
        open?.lines.append(line.dropFirst(min(indentation, line.count - text.count)))
      }
    }
    return snippets
  }

  /// The Swift examples of a document written in Markdown.
  static func examples(in document: String, named name: String) -> [Snippet] {
    var examples: [Snippet] = []
    var open: [Substring]?
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        open = []
      } else if line == "```", let lines = open {
        examples.append(Snippet(document: name, code: joined(lines)))
        open = nil
      } else {
        open?.append(line)
      }
    }
    return examples
  }

  private static let marker = "// snippet: "

  private static func joined(_ lines: [Substring]) -> String { lines.joined(separator: "\n") }
}
