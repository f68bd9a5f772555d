#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveStore

/// Completes words of a session: commands first, then the names in the store, written as the line
/// needs them.
struct ShellCompletion {
  /// The words that can replace the last word of a text.
  struct Offer {
    /// The last word, as it was typed.
    let typed: Substring
    let candidates: [String]
  }

  private struct Names {
    /// Types and keys.
    var words: [String] = []
    /// Their names in SQL.
    var names: [String] = []
    var identifiers: [String] = []
  }

  private let store: String
  /// How many identifiers of a type are offered.
  private static let mostIdentifiers = 200
  private static let mostTypes = 50

  init(_ store: String) { self.store = store }

  /// The first words of lines.
  private var commands: [String] {
    ShellSession.commands.map { $0._commandName }
      + ShellSession.sessionCommands.map { "." + $0.name } + ["SELECT"]
  }

  /// Returns the types, keys and identifiers of the store; none if it cannot be read now.
  private func names() async -> Names {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    let found = try? await Store.using(store, configuration) { store in
      try await store.read { try await Self.names(in: $0) }
    }
    return found ?? Names()
  }

  private static func names(in state: Snapshot) async throws -> Names {
    var found = Names()
    for type in try await state.schema().prefix(mostTypes) {
      found.words += [type.type.text] + type.keys.map(\.key.text)
      found.names += [type.name] + type.keys.map(\.name)
      found.identifiers += try await state.ids(of: Query(type.type).limit(mostIdentifiers))
        .map(\.text)
    }
    return found
  }

  /// Returns the words that begin as the last word of a text does, each once, in order.
  func offer(_ text: String) async -> Offer {
    guard text.contains(where: \.isWhitespace) else {
      return Self.offer(commands.filter { $0.hasPrefix(text) }, for: text[...])
    }
    guard ShellInput.isStatement(text) else {
      let last = ShellWords(text).last
      let names = await names()
      let found = (names.words + names.identifiers).filter { $0.hasPrefix(last.word) }
      return Self.offer(found.map(ShellWords.quoted), for: last.typed)
    }
    let last = StatementWord(endOf: text)
    let names = await names()
    guard !last.isText else {
      let found = names.identifiers.filter { $0.hasPrefix(last.word) }
      return Self.offer(found.map(\.textInSQL), for: last.typed)
    }
    let found = names.names.filter { FoldedName($0).hasPrefix(FoldedName(last.word)) }
    return Self.offer(found.map(\.identifier), for: last.typed)
  }

  private static func offer(_ words: [String], for typed: Substring) -> Offer {
    Offer(typed: typed, candidates: Set(words).subtracting([String(typed)]).sorted())
  }
}

/// The word at the end of an unfinished SQL statement.
struct StatementWord {
  /// The word as it was typed, with the quote before it.
  let typed: Substring
  /// The word without quotes.
  let word: String
  /// Whether it stands in single quotes.
  let isText: Bool

  init(endOf statement: String) {
    var start = statement.endIndex
    var quote: Character?
    var index = statement.startIndex
    while index < statement.endIndex {
      let character = statement[index]
      let next = statement.index(after: index)
      if let open = quote {
        // A doubled quote closes and opens again, which comes to the same.
        if character == open { (quote, start) = (nil, next) }
      } else if character == "'" || character == "\"" {
        (quote, start) = (character, index)
      } else if !Self.isOfName(character) {
        start = next
      } else if start > index {
        start = index
      }
      index = next
    }
    typed = statement[min(start, statement.endIndex)...]
    isText = quote == "'"
    let inner = String(quote == nil ? typed : typed.dropFirst())
    word = quote.map { inner.replacing("\($0)\($0)", with: "\($0)") } ?? inner
  }

  private static func isOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_$@".contains(character)
  }
}

extension String {
  /// The text as SQL writes it.
  fileprivate var textInSQL: String { "'" + replacing("'", with: "''") + "'" }
}
#endif
