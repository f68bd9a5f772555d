import Foundation
import VarveCore
import VarveStore

/// Names an entity in an operation: its identifier, or a selector `{"Type": {key: value}}` that
/// exactly one live entity must match.
enum Place: Sendable {
  case id(EntityID)
  case selector(EntityType, [PropertyKey: Value])

  init(_ field: Part) throws {
    guard case .object(let members) = field.json else {
      self = .id(try field.id())
      return
    }
    guard members.count == 1, let type = try field.members().first else {
      throw Misfit("a selector has one member: {\"Type\": {key: value}}", at: field.path)
    }
    let wanted = try type.field.members().map { name, field in
      (PropertyKey(name), try field.value())
    }
    self = .selector(
      EntityType(type.name),
      Dictionary(wanted, uniquingKeysWith: { _, last in last })
    )
  }

  /// Returns the entity's identifier.
  ///
  /// - Throws: `VarveError`: `notFound` if nothing matches, `invalidArgument` if several entities
  ///   do.
  func id(in state: any Reading) async throws -> EntityID {
    switch self {
    case .id(let id): return id
    case .selector(let type, let values):
      let matches = try await state.fetch(type, having: values)
      if matches.count == 1, let match = matches.first { return match.id }
      // A server logs this message, so it has no values.
      let keys = values.keys.sorted().map(\.text).joined(separator: ", ")
      let text = keys.isEmpty ? "the type \(type)" : "the type \(type) with the given \(keys)"
      guard matches.isEmpty else {
        throw VarveError(
          .invalidArgument,
          "\(matches.count) entities match: there are several of \(text)",
          remedy: "Give more values, or an identifier."
        )
      }
      throw VarveError(
        .notFound,
        "no live entity matches: there is none of \(text)",
        remedy: "Check the condition; the history shows what was erased."
      )
    }
  }
}

extension Reading {
  /// Returns the live entities of a type that have exactly these values.
  func fetch(_ type: EntityType, having values: [PropertyKey: Value]) async throws -> [StoredEntity]
  {
    var query = Query(type)
    for (key, value) in values where value.isComparable {
      query = query.where(Field(key) == value)
    }
    // A query compares numbers by value; a selector requires identical values.
    return try await fetch(query).filter { entity in
      values.allSatisfy { entity[$0.key] == $0.value }
    }
  }
}

extension Value {
  /// Whether a query finds an equal value.
  fileprivate var isComparable: Bool {
    switch self {
    case .double(let value): !value.isNaN
    case .date(let value): !value.timeIntervalSinceReferenceDate.isNaN
    default: true
    }
  }
}
