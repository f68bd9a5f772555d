import Foundation
import VarveCore

/// Conditions that SQL's own operators cannot express on one column.
extension QueryCompiler {
  /// Returns the comparison of two fields of a row.
  func compare(_ pair: FieldPair, _ comparison: Comparison) throws -> SQLFragment {
    let (left, right) = (pair.left.canonical, pair.right.canonical)
    let (one, other) = (try source(left), try source(right))
    let sign = comparison.rawValue
    if left.isDecimal {
      let rank = Value.data(.init()).sortRank
      guard let numbers = one.expression(left, rank: rank),
        let others = other.expression(right, rank: rank)
      else { return SQLFragment("NULL") }
      return SQLFragment("(\(numbers) \(sign) \(others))")
    }
    guard !pair.hasIdentifier, let rank = one.onlyRank(left), let otherRank = other.onlyRank(right)
    else {
      let values = "\(one.comparandExpression(left)), \(other.comparandExpression(right))"
      let texts = pair.hasIdentifier ? (left.isFolded ? 2 : 1) : 0
      let order = "varve_order(\(values), \(texts))"
      return SQLFragment("(\(order) \(sign) 0)")
    }
    guard rank == otherRank, var values = one.expression(left, rank: rank),
      var others = other.expression(right, rank: rank)
    else { return SQLFragment("NULL") }
    if rank == Value.reference(EntityID(unchecked: "")).sortRank, comparison != .equal,
      comparison != .notEqual
    {
      (values, others) = ("varve_text(\(values))", "varve_text(\(others))")
    }
    return SQLFragment("(\(values) \(sign) \(others))")
  }

  /// Returns the condition that an array has an element.
  func includes(_ field: Field, _ value: Value) throws -> SQLFragment {
    let interpretation = field.isDecimal ? 1 : (field.isFolded ? 2 : 0)
    let stored = field.stored
    let values = try source(stored).valueExpression(stored)
    return SQLFragment("varve_includes(\(values), ?, \(interpretation))", [.blob(value.encoded)])
  }
}
