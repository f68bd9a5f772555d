import VarveCore
import VarveStore

/// `aggregate`: returns values computed from a type's entities, for each group that shares the
/// values of some keys.
struct AggregateOperation: ReadingOperation {
  static let name = "aggregate"
  private let query: Query
  private let keys: [Field]
  private let aggregations: [Aggregation]
  private let condition: AggregateCondition?

  init(_ fields: inout Fields) throws {
    var query = Query(EntityType(try fields.need("type").string()))
    if let condition = fields.take("where") { query = query.where(try condition.condition()) }
    self.query = query
    keys = try fields.take("by")?.elements().map { try $0.ordering().field } ?? []
    aggregations = try fields.take("values")?.elements().map { try $0.aggregation() } ?? []
    condition = try fields.take("having").map { try $0.aggregateCondition() }
    guard !keys.isEmpty || !aggregations.isEmpty else {
      throw Misfit(
        "an aggregate has neither values nor keys",
        at: fields.path,
        remedy: "Name what is computed under \"values\", or keys under \"by\"."
      )
    }
    guard keys.count + aggregations.count <= Self.maximumCount else {
      throw Misfit(
        "an aggregate has more than \(Self.maximumCount) keys and values",
        at: fields.path,
        remedy: "Compute them by several operations."
      )
    }
  }

  /// A row of SQLite has at most 2,000 columns.
  private static let maximumCount = 1_000

  func read(_ state: any Reading) async throws -> JSON {
    let rows = try await state.aggregate(query, by: keys, having: condition, aggregations)
    return .array(
      rows.map { row in
        ["keys": .array(row.keys.map(Self.json)), "values": .array(row.values.map(Self.json))]
      }
    )
  }

  private static func json(_ value: Value?) -> JSON { value?.json ?? .null }
}

extension Part {
  /// Reads an aggregation: `"count"`, or `{function: field}`, with the field as in `order`.
  func aggregation() throws -> Aggregation {
    if case .string(let name) = json, name == "count" { return Aggregation(.count) }
    let members = try members()
    let names = Aggregation.names.keys.sorted().joined(separator: ", ")
    guard members.count == 1, let function = Aggregation.names[members[0].name] else {
      throw Misfit(
        "an aggregation is \"count\" or an object of a function and a field",
        at: path,
        remedy: "Use one of \(names)."
      )
    }
    let part = members[0].field
    // A key may begin with the "-" that an order reads as descending.
    if case .string(let key) = part.json { return Aggregation(function, of: try part.field(key)) }
    return Aggregation(function, of: try part.ordering().field)
  }

  /// Reads a condition on groups: `[aggregation, comparison, value]`, or `@and`, `@or`, `@not`.
  fileprivate func aggregateCondition() throws -> AggregateCondition {
    if case .object = json {
      let conditions = try members().map { name, part -> AggregateCondition in
        switch name {
        case "@and": return .and(try part.elements().map { try $0.aggregateCondition() })
        case "@or": return .or(try part.elements().map { try $0.aggregateCondition() })
        case "@not": return .not(try part.aggregateCondition())
        default: throw Misfit("\"\(name)\" is not one of @and, @or, @not", at: part.path)
        }
      }
      return conditions.count == 1 ? conditions[0] : .and(conditions)
    }
    let parts = try elements()
    guard parts.count == 3, let comparison = Comparison(rawValue: try parts[1].string()) else {
      throw Misfit("an aggregation, a comparison and a value are expected", at: path)
    }
    let aggregation = try parts[0].aggregation()
    switch (parts[2].json, comparison) {
    case (.null, .equal): return .isMissing(aggregation)
    case (.null, .notEqual): return .not(.isMissing(aggregation))
    default: return .compare(aggregation, comparison, try parts[2].convert { try Value(json: $0) })
    }
  }
}

extension Aggregation {
  /// The functions by their names in operations.
  fileprivate static let names: [String: Function] = [
    "count": .count, "countDistinct": .countDistinct, "sum": .sum, "average": .average,
    "minimum": .minimum, "maximum": .maximum,
  ]
}
