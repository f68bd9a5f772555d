#if CommandLine
import VarveCore
import VarveStore

/// A name in a command that no entity has ever had, and that may be misspelled.
struct NameNote {
  /// What there is not.
  let message: String
  /// The name that may be meant.
  var nearest: String?

  /// The note as a sentence.
  var text: String { message + (nearest.map { "; perhaps \($0) is meant" } ?? "") }

  /// The error if names must exist.
  func error(at place: String) -> VarveError {
    VarveError(
      .notFound,
      message,
      at: place,
      remedy: nearest.map { "Perhaps \($0) is meant." } ?? "List the names by `varve schema`."
    )
  }
}

/// The names that a command reads.
struct ReadNames {
  let type: EntityType
  var keys: [PropertyKey] = []
  var conditions: [Condition] = []

  /// Returns a note for each name that no entity has ever had, and for each condition that compares
  /// a key with values of a kind that it never had.
  func notes(in state: some Reading) async throws -> [NameNote] {
    guard let schema = try await state.schema(of: type) else {
      let types = try await state.schema().map(\.type.text)
      return [
        NameNote(
          message: "no entity has ever had the type \(type.text.inQuotes)",
          nearest: NearestName.of(type.text, among: types)?.inQuotes
        )
      ]
    }
    let known = Dictionary(uniqueKeysWithValues: schema.keys.map { ($0.key, $0) })
    var notes: [NameNote] = []
    var named: Set<PropertyKey> = []
    let all = keys + conditions.flatMap(\.fields).flatMap(\.ownKeys)
    for key in all where known[key] == nil && named.insert(key).inserted {
      notes.append(
        NameNote(
          message: "no \(type.text.printable) has ever had the key \(key.text.inQuotes)",
          nearest: NearestName.of(key.text, among: schema.keys.map(\.key.text))?.inQuotes
        )
      )
    }
    for condition in conditions {
      if let note = kindNote(condition, known) { notes.append(note) }
    }
    return notes
  }

  private func kindNote(_ condition: Condition, _ known: [PropertyKey: KeySchema]) -> NameNote? {
    var compared: [PropertyKey: [Value]] = [:]
    _ = condition.contains { part in
      if case .compare(.property(let key), _, let value) = part {
        compared[key, default: []].append(value)
      }
      return false
    }
    for (key, values) in compared {
      guard let schema = known[key], !schema.mayHaveOthers,
        !values.contains(where: { $0.kind.words == schema.kind.words }), let value = values.first
      else { continue }
      return NameNote(
        message: "\(key.text.inQuotes) has only \(schema.kind.words), and the condition compares "
          + "it with \(value.kind.words)"
      )
    }
    return nil
  }
}

extension Field {
  /// The keys of the query's own type that the field reads.
  var ownKeys: [PropertyKey] {
    switch self {
    case .property(let key): [key]
    case .firstOf(let key, let older): [key] + older
    case .decimal(let inner), .folded(let inner), .inside(let inner, _): inner.ownKeys
    case .identifier, .datestamp, .modified, .joined, .ofRelated, .aggregate, .relevance: []
    }
  }
}

extension String {
  /// The text in quotes, as people see it.
  var inQuotes: String { "\"\(printable)\"" }
}

extension Value.Kind {
  /// The kind in the plural. Integers and doubles are numbers.
  var words: String {
    switch self {
    case .bool: "truth values"
    case .int, .double: "numbers"
    case .string: "texts"
    case .date: "dates"
    case .data: "data"
    case .reference: "references"
    case .array: "arrays"
    case .dictionary: "dictionaries"
    }
  }
}
#endif
