import VarveCore

/// One side of a join: its value as stored, and a key whose bytes are equal if queries treat the
/// values as equal.
struct JoinOperand {
  enum Sort: Hashable {
    /// Identifiers and references, as stored.
    case identifiers
    /// Values of one rank, which SQL compares.
    case values(Int)
    /// Decimal numbers, as bytes that sort in numeric order.
    case decimals
    /// Values of several kinds.
    case mixed
  }

  let sql: String
  let sort: Sort
  let key: String

  /// Returns an SQL expression for the equality of both sides.
  static func equality(_ left: JoinOperand, _ right: JoinOperand) -> String {
    let text = Sort.values(Value.string("").sortRank)
    if left.sort == right.sort, left.sort != .mixed { return "\(left.sql) = \(right.sql)" }
    switch (left.sort, right.sort) {
    case (.decimals, _), (_, .decimals): return "0"
    // Identifiers and texts can be equal. Values of other ranks cannot, so they are not compared.
    case (.values, .values): return "0"
    case (.values, .identifiers) where left.sort != text: return "0"
    case (.identifiers, .values) where right.sort != text: return "0"
    default: return "\(left.key) = \(right.key)"
    }
  }
}
