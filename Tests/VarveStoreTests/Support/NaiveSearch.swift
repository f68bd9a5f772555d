import Foundation
import VarveCore
import VarveStore

/// Full-text search as its documentation describes it, over entities in memory.
struct NaiveSearch {
  /// The tokenizer of each property.
  var tokenizers: [PropertyKey: SearchTokenizer]
  /// Older names of a property, latest first.
  var older: [PropertyKey: [PropertyKey]] = [:]

  /// Returns the identifiers of the entities with all words in some properties.
  func found(_ text: String, in keys: [PropertyKey], of entities: [StoredEntity]) -> Set<EntityID> {
    let terms = Self.terms(text)
    guard !terms.isEmpty else { return [] }
    let found = entities.filter { entity in
      terms.allSatisfy { term in keys.contains { has(term, $0, entity) } }
    }
    return Set(found.map(\.id))
  }

  /// Returns BM25 of each entity that has one of the words, as SQLite's documentation defines it,
  /// for properties of one tokenizer that are all of those.
  func relevances(
    _ text: String,
    in keys: [PropertyKey],
    of entities: [StoredEntity]
  ) -> [EntityID: Double] {
    let terms = Self.terms(text)
    let (k1, b) = (1.2, 0.75)
    let lengths = entities.map { entity in
      Double(keys.reduce(0) { $0 + tokens($1, entity).count })
    }
    let average = lengths.reduce(0, +) / Double(entities.count)
    var relevances: [EntityID: Double] = [:]
    for term in terms {
      let counts = entities.map { entity in
        Double(keys.reduce(0) { $0 + occurrences(of: term, $1, entity) })
      }
      let hits = Double(counts.count { $0 > 0 })
      let rarity = max(log((Double(entities.count) - hits + 0.5) / (hits + 0.5)), 1e-6)
      for (index, count) in counts.enumerated() where count > 0 {
        let share = count + k1 * (1 - b + b * lengths[index] / average)
        relevances[entities[index].id, default: 0] += rarity * count * (k1 + 1) / share
      }
    }
    return relevances
  }

  /// A word, its prefix, or several words in a row.
  private struct Term {
    var words: [String]
    var isPrefix = false
  }

  private static func terms(_ text: String) -> [Term] {
    var terms: [Term] = []
    for (index, part) in text.components(separatedBy: "\"").enumerated() {
      guard index % 2 == 0 else {
        terms.append(Term(words: part.split(separator: " ").map(String.init)))
        continue
      }
      for word in part.split(separator: " ") {
        let isPrefix = word.hasSuffix("*")
        terms.append(Term(words: [String(isPrefix ? word.dropLast() : word)], isPrefix: isPrefix))
      }
    }
    return terms
  }

  /// Whether a text has a term. One that is too short for an index of substrings is looked for in
  /// the text itself.
  private func has(_ term: Term, _ key: PropertyKey, _ entity: StoredEntity) -> Bool {
    let short = term.words.joined(separator: " ").lowercased()
    guard tokenizers[key] == .substrings, short.count < 3 else {
      return occurrences(of: term, key, entity) > 0
    }
    return !short.isEmpty && text(key, entity)?.lowercased().contains(short) == true
  }

  private func text(_ key: PropertyKey, _ entity: StoredEntity) -> String? {
    let names = [key] + (older[key] ?? [])
    guard let name = names.first(where: { entity[$0] != nil }),
      case .string(let text)? = entity[name]
    else { return nil }
    return text
  }

  private func tokens(_ key: PropertyKey, _ entity: StoredEntity) -> [String] {
    text(key, entity).map { Self.tokens($0, tokenizers[key] ?? .words) } ?? []
  }

  private static func tokens(_ text: String, _ tokenizer: SearchTokenizer) -> [String] {
    let folded = text.lowercased()
    if tokenizer == .substrings {
      let characters = Array(folded)
      guard characters.count >= 3 else { return [] }
      return (0...characters.count - 3).map { String(characters[$0..<$0 + 3]) }
    }
    return folded.split { !$0.isLetter && !$0.isNumber }.map { word in
      switch tokenizer {
      case .words: word.folding(options: .diacriticInsensitive, locale: nil)
      // The generator uses words whose stem is what is left without "s".
      case .stems:
        String(word.hasSuffix("s") ? word.dropLast() : word)
          .folding(options: .diacriticInsensitive, locale: nil)
      case .accents, .substrings: String(word)
      }
    }
  }

  private func occurrences(of term: Term, _ key: PropertyKey, _ entity: StoredEntity) -> Int {
    let tokenizer = tokenizers[key] ?? .words
    let tokens = tokens(key, entity)
    let wanted = Self.tokens(term.words.joined(separator: " "), tokenizer)
    guard !wanted.isEmpty, tokens.count >= wanted.count else { return 0 }
    return (0...tokens.count - wanted.count).count { start in
      wanted.indices.allSatisfy { index in
        let isLast = index == wanted.count - 1
        let token = tokens[start + index]
        return isLast && term.isPrefix ? token.hasPrefix(wanted[index]) : token == wanted[index]
      }
    }
  }
}
