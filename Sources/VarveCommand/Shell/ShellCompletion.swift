#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveStore

/// Completes words of a session: commands first, then the names in the store.
struct ShellCompletion {
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
  private func names() async -> [String] {
    var configuration = Store.Configuration()
    configuration.createsIfMissing = false
    configuration.isReadOnly = true
    let found = try? await Store.using(store, configuration) { store in
      try await store.read { try await Self.names(in: $0) }
    }
    return found ?? []
  }

  private static func names(in state: Snapshot) async throws -> [String] {
    var found: [String] = []
    for type in try await state.schema().prefix(mostTypes) {
      found += [type.type.text] + type.keys.map(\.key.text)
      found += try await state.ids(of: Query(type.type).limit(mostIdentifiers)).map(\.text)
    }
    return found
  }

  /// Returns the words that begin as the last word of a text does, each once, in order. Those with
  /// spaces are in quotes.
  func matches(_ text: String) async -> [String] {
    let start = text.lastIndex(where: \.isWhitespace).map { text.index(after: $0) }
    let word = text[(start ?? text.startIndex)...]
    let candidates = start == nil ? commands : await names()
    return Set(candidates.filter { $0.hasPrefix(word) && $0 != word }).sorted()
      .map { $0.contains(where: \.isWhitespace) ? "'\($0)'" : $0 }
  }
}
#endif
