/// The parts of a conjunction or disjunction that an operator makes of two conditions.
///
/// Operands that the same operator has made are taken apart while they are short. So a chain of many
/// conditions is nested a 256th as deep as it is long, and a chain of 50,000 is compared, hashed and
/// released within the stack of any thread.
enum JoinedParts {
  /// The number of parts that are kept side by side.
  private static let mostSideBySide = 256

  /// Returns the parts of two operands, in order.
  ///
  /// - Parameter parts: the parts of an operand that the same operator has made; nil for any other.
  /// - Complexity: O(1).
  static func of<Part>(_ left: Part, _ right: Part, parts: (Part) -> [Part]?) -> [Part] {
    let before = parts(left) ?? [left]
    let after = parts(right) ?? [right]
    if before.count + after.count <= mostSideBySide { return before + after }
    if before.count < mostSideBySide { return before + [right] }
    if after.count < mostSideBySide { return [left] + after }
    return [left, right]
  }
}
