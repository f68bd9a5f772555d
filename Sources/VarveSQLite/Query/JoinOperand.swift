import VarveCore

/// One side of a join: its value as it stands, and as bytes that are equal where queries say so.
struct JoinOperand {
  enum Sort: Hashable {
    /// Identifiers and references, as they are stored.
    case identifiers
    /// Values of one rank, which SQL compares.
    case values(Int)
    /// Decimal numbers, as bytes in their order.
    case decimals
    /// Values of several kinds.
    case mixed
  }

  let sql: String
  let sort: Sort
  let key: String

  /// Whether both sides are equal, as an expression.
  static func equality(_ left: JoinOperand, _ right: JoinOperand) -> String {
    let text = Sort.values(Value.string("").sortRank)
    if left.sort == right.sort, left.sort != .mixed { return "\(left.sql) = \(right.sql)" }
    switch (left.sort, right.sort) {
    case (.decimals, _), (_, .decimals): return "0"
    // What is never equal is not looked for: texts and identifiers can be, other ranks cannot.
    case (.values, .values): return "0"
    case (.values, .identifiers) where left.sort != text: return "0"
    case (.identifiers, .values) where right.sort != text: return "0"
    default: return "\(left.key) = \(right.key)"
    }
  }
}
