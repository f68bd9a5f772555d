import Foundation
import VarveCore
import VarveStore

/// `query`: returns the entities of a type that satisfy conditions, in an order.
struct QueryOperation: ReadingOperation {
  private enum Run: String, CaseIterable {
    case all
    case ids
    case first
    case count
    case isEmpty
  }

  static let name = "query"
  private let query: Query
  private let run: Run

  init(_ fields: inout Fields) throws {
    query = try fields.query()
    run = try fields.choice("run", default: .all)
  }

  func read(_ state: any Reading) async throws -> JSON {
    switch run {
    case .all: .array(try await state.fetch(query).map(\.json))
    case .ids: try await state.fetch(query).map(\.id).json
    case .first: try await state.first(query)?.json ?? .null
    case .count: .count(try await state.count(query))
    case .isEmpty: .bool(try await state.count(query.limit(1)) == 0)
    }
  }
}

extension Fields {
  /// Takes a `type`, and optionally `where`, `order`, `limit` and `offset`.
  mutating func query() throws -> Query {
    var query = Query(EntityType(try need("type").string()))
    if let condition = take("where") { query = query.where(try condition.condition()) }
    for criterion in try take("order")?.elements() ?? [] {
      let text = try criterion.string()
      let isDescending = text.hasPrefix("-")
      let name = isDescending ? String(text.dropFirst()) : text
      query = query.order(by: try criterion.field(name), descending: isDescending)
    }
    if let limit = take("limit") { query = query.limit(try limit.count()) }
    if let offset = take("offset") { query = query.offset(try offset.count()) }
    return query
  }
}

extension Part {
  /// Returns a field by name: a property's key, or `@id`, `@datestamp`, `@modified`.
  fileprivate func field(_ name: String) throws -> Field {
    switch name {
    case "@id": return .identifier
    case "@datestamp": return .datestamp
    case "@modified": return .modified
    case _ where name.hasPrefix("@"):
      throw Misfit("\"\(name)\" is not one of @id, @datestamp, @modified", at: path)
    default: return .property(PropertyKey(name))
    }
  }

  /// Reads a condition such as `{key: value}`, `{key: {">": value}}` or `{"@or": […]}`. All members
  /// must hold.
  func condition() throws -> Condition {
    let conditions = try members().map { name, part -> Condition in
      switch name {
      case "@and": return .and(try part.elements().map { try $0.condition() })
      case "@or": return .or(try part.elements().map { try $0.condition() })
      case "@not": return .not(try part.condition())
      default: return try part.comparison(of: try part.field(name))
      }
    }
    return conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  private static let signs = ["=", "!=", "<", "<=", ">", ">=", "in", "startsWith", "contains"]
  /// The tags of objects that are values.
  private static let tags: Set<String> = [
    "date", "data", "entity", "double", "array", "dictionary",
  ]

  private func comparison(of field: Field) throws -> Condition {
    guard case .object(let written) = json, let first = written.first,
      !Self.tags.contains(first.name)
    else { return try equality(field, .equal) }
    let conditions = try members().map { sign, part in try part.condition(field, sign) }
    return conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  private func condition(_ field: Field, _ sign: String) throws -> Condition {
    switch sign {
    case "in": return .isIn(field, try elements().map { try $0.value(for: field) })
    case "startsWith": return .hasPrefix(field, try string())
    case "contains": return .contains(field, try string())
    default:
      guard let comparison = Comparison(rawValue: sign) else {
        throw Misfit(
          "\"\(sign)\" is not a comparison",
          at: path,
          remedy: "Use one of \(Self.signs.joined(separator: " "))."
        )
      }
      return try equality(field, comparison)
    }
  }

  private func equality(_ field: Field, _ comparison: Comparison) throws -> Condition {
    switch (json, comparison) {
    case (.null, .equal): .isMissing(field)
    case (.null, .notEqual): .not(.isMissing(field))
    default: .compare(field, comparison, try value(for: field))
    }
  }

  private func value(for field: Field) throws -> Value {
    switch field {
    case .datestamp, .modified: .date(try date())
    case .identifier: .string(try string())
    case .property, .firstOf: try convert { try Value(json: $0) }
    case .joined(_, let inner), .decimal(let inner): try value(for: inner)
    }
  }
}
