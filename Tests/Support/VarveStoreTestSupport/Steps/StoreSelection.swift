package import VarveCore

/// A query for some entities of a type.
package struct StoreSelection: Hashable, Sendable {
  package let type: EntityType
  package let key: PropertyKey
  package let condition: Kind
  package let limit: Int?

  /// A condition on the key.
  package enum Kind: Hashable, Sendable {
    case anything
    case missing
    case equals(Value)
    case above(Value)
  }

  package var query: Query {
    let field = Field(key)
    let query =
      switch condition {
      case .anything: Query(type)
      case .missing: Query(type).where(field.isMissing)
      case .equals(let value): Query(type).where(field == value)
      case .above(let value): Query(type).where(field > value)
      }
    return limit.map { query.order(by: field, descending: true).limit($0) } ?? query
  }
}
