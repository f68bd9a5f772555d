import Foundation
import VarveCore

/// The fields of a table as sides of joins and of relations.
extension TableSource {
  /// Returns the operand of a join, or nil if no row has a value for the field.
  func joinOperand(_ field: Field) -> JoinOperand? {
    switch field {
    case .joined(_, let inner): return joinOperand(inner)
    case .identifier: return JoinOperand(sql: "\(alias).id", sort: .identifiers, key: key(field))
    case .datestamp, .modified:
      let rank = Value.date(.now).sortRank
      guard let sql = expression(field, rank: rank) else { return nil }
      return JoinOperand(sql: sql, sort: .values(rank), key: key(field))
    case .decimal(let inner):
      guard let sql = decimalExpression(inner) else { return nil }
      return JoinOperand(sql: sql, sort: .decimals, key: sql)
    case .ofRelated, .aggregate, .relevance:
      guard !field.isDecimal, !field.isFolded, let plain = computed[field]?.plain else {
        return JoinOperand(sql: key(field), sort: .mixed, key: key(field))
      }
      let isReference = plain.rank == Value.reference(EntityID(unchecked: "")).sortRank
      let sort: JoinOperand.Sort = isReference ? .identifiers : .values(plain.rank)
      return JoinOperand(sql: plain.sql, sort: sort, key: key(field))
    case .folded, .inside: return JoinOperand(sql: key(field), sort: .mixed, key: key(field))
    case .property(let key): return joinOperand(field, [key])
    case .firstOf(let key, let older): return joinOperand(field, [key] + older)
    }
  }

  /// Returns the identifier that a field is, or that it refers to, as it is stored; nil if no row
  /// has one.
  func reference(_ field: Field) -> String? {
    switch field {
    case .joined(_, let inner): reference(inner)
    case .identifier: "\(alias).id"
    default: expression(field, rank: Value.reference(EntityID(unchecked: "")).sortRank)
    }
  }

  private func joinOperand(_ field: Field, _ keys: [PropertyKey]) -> JoinOperand? {
    let columns = keys.compactMap(layout.column)
    guard let first = columns.first else { return nil }
    guard columns.allSatisfy({ isPlain($0) && $0.rank == first.rank }),
      let sql = expression(field, rank: first.rank)
    else { return JoinOperand(sql: key(field), sort: .mixed, key: key(field)) }
    let sort: JoinOperand.Sort = first.kind == .reference ? .identifiers : .values(first.rank)
    return JoinOperand(sql: sql, sort: sort, key: key(field))
  }

  private func key(_ field: Field) -> String { call("varve_join", field) }
}
