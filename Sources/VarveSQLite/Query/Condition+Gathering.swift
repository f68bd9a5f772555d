import VarveCore

/// Conditions with thousands of parts.
///
/// SQLite compares each constant operand of a statement with all others to evaluate equal ones once,
/// so the time to prepare it grows with the square of their number. A list of values is no such
/// operand, and neither is the result of a function that is not deterministic.
extension Condition {
  /// The number of parts from which on values are hidden from SQLite's search for equal constants.
  private static let longCount = 256

  /// Whether the condition has so many parts that its values are to be hidden.
  var isLong: Bool {
    var count = 0
    return contains { _ in
      count += 1
      return count >= Self.longCount
    }
  }

  /// The conditions that must all hold. Those that a field differs from values are one.
  var requirements: [Condition] {
    Self.gathered(conjuncts) { part in
      if case .compare(let field, .notEqual, let value) = part { (field, [value]) } else { nil }
    } as: {
      .not(.isIn($0, $1))
    }
  }

  /// The alternatives. Those that a field equals values are one, so that one search finds them.
  var alternatives: [Condition] {
    Self.gathered(disjuncts) { part in
      switch part {
      case .compare(let field, .equal, let value): (field, [value])
      case .isIn(let field, let values) where !values.isEmpty: (field, values)
      default: nil
      }
    } as: {
      .isIn($0, $1)
    }
  }

  /// Returns the parts, with all that compare one field with values as one, at the place of the
  /// first of them.
  private static func gathered(
    _ parts: [Condition],
    _ listed: (Condition) -> (Field, [Value])?,
    as list: (Field, [Value]) -> Condition
  ) -> [Condition] {
    guard parts.count > 1 else { return parts }
    var lists: [(place: Int, field: Field, values: [Value])] = []
    var numbers: [Field: Int] = [:]
    var gathered: [Condition] = []
    for part in parts {
      guard let (field, values) = listed(part) else {
        gathered.append(part)
        continue
      }
      if let number = numbers[field] {
        lists[number].values += values
      } else {
        numbers[field] = lists.count
        lists.append((gathered.count, field, values))
        gathered.append(part)
      }
    }
    for (place, field, values) in lists where values.count > 1 {
      gathered[place] = list(field, values)
    }
    return gathered
  }
}
