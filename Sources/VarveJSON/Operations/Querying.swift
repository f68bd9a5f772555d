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
    case .ids: try await state.ids(of: query).json
    case .first: try await state.first(query)?.json ?? .null
    case .count: .count(try await state.count(query))
    case .isEmpty: .bool(try await state.count(query.limit(1)) == 0)
    }
  }
}

extension Fields {
  /// The most criteria of an order; SQLite sorts by no more columns.
  private static let maximumCriterionCount = 2_000

  /// Takes a `type`, and optionally `where`, `order`, `limit` and `offset`.
  mutating func query() throws -> Query {
    var query = Query(EntityType(try need("type").string()))
    if let condition = take("where") { query = query.where(try condition.condition()) }
    let order = take("order")
    let criteria = try order?.elements() ?? []
    guard criteria.count <= Self.maximumCriterionCount else {
      throw Misfit(
        "an order has \(criteria.count) criteria",
        at: order?.path ?? path,
        remedy: "Use at most \(Self.maximumCriterionCount)."
      )
    }
    for criterion in criteria {
      let ordering = try criterion.ordering()
      query = query.order(by: ordering.field, descending: ordering.isDescending)
    }
    if let limit = take("limit") { query = query.limit(try limit.count()) }
    if let offset = take("offset") { query = query.offset(try offset.count()) }
    return query
  }
}
