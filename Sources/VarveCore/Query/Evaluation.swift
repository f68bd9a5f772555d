/// Something with fields: an entity, or several entities that a query joins.
package protocol FieldSource {
  /// Returns the value of a field, or nil if it is missing.
  func value(of field: Field) -> Value?

  /// Returns whether there is a related entity, or nil if other entities are not known.
  func exists(_ related: RelatedEntities) -> Bool?
}

extension FieldSource {
  package func exists(_ related: RelatedEntities) -> Bool? { nil }
}

extension StoredEntity: FieldSource {}

extension FieldSource {
  /// Returns the value by which a query compares and sorts a field.
  package func comparand(of field: Field) -> Value? {
    value(of: field).flatMap(field.comparand)
  }
}

/// Evaluates queries over entities in memory. This defines the meaning that the SQL must have.
extension Condition {
  /// Returns whether an entity satisfies the condition, with SQL's three truth values. A comparison
  /// that cannot be made, because a value is missing or of another kind, is nil, and so is its
  /// negation.
  package func holds(for entity: some FieldSource) -> Bool? {
    // The evaluation is iterative, because `c = c || …` in a loop nests as deep as the loop ran.
    var steps = [Step.evaluate(self)]
    var answers: [Bool?] = []
    while let step = steps.popLast() {
      switch step {
      case .evaluate(.not(let condition)): steps += [.negate, .evaluate(condition)]
      case .evaluate(.and(let conditions)):
        steps.append(.all(conditions.count))
        for condition in conditions { steps.append(.evaluate(condition)) }
      case .evaluate(.or(let conditions)):
        steps.append(.any(conditions.count))
        for condition in conditions { steps.append(.evaluate(condition)) }
      case .evaluate(let condition): answers.append(condition.holdsByItself(for: entity))
      case .negate: answers.append(answers.removeLast().map { !$0 })
      case .all(let count): answers.joinLast(count, unless: false)
      case .any(let count): answers.joinLast(count, unless: true)
      }
    }
    return answers[0]
  }

  private enum Step {
    case evaluate(Condition)
    case negate
    case all(Int)
    case any(Int)
  }

  /// Returns whether an entity satisfies a condition that contains no others.
  private func holdsByItself(for entity: some FieldSource) -> Bool? {
    switch self {
    case .always: return true
    case .compare(let field, let comparison, let value):
      return entity.comparand(of: field).flatMap { present in
        field.comparand(of: value).flatMap { comparison.holds(present, $0) }
      }
    case .compareFields(let field, let comparison, let other):
      let pair = FieldPair(field, other)
      guard let one = entity.value(of: pair.left.stored),
        let another = entity.value(of: pair.right.stored)
      else { return nil }
      return pair.holds(comparison, one, another)
    case .isIn(let field, let values):
      guard let present = entity.comparand(of: field), !present.isNotComparable else { return nil }
      let answers = values.map { value in
        field.comparand(of: value).flatMap { Comparison.equal.holds(present, $0) }
      }
      return answers.contains(true) ? true : (answers.contains(nil) ? nil : false)
    case .hasPrefix(let field, let text):
      let prefix = field.isFolded ? text.caseFolded : text
      return entity.comparand(of: field)?.stringValue.map { $0.utf8.starts(with: prefix.utf8) }
    case .contains(let field, let text):
      let part = field.isFolded ? text.caseFolded : text
      return entity.comparand(of: field)?.stringValue.map { $0.containsBytes(of: part) }
    case .includes(let field, let value): return field.includes(value, entity)
    case .isMissing(let field): return entity.value(of: field.stored) == nil
    case .exists(let related): return entity.exists(related)
    case .sorts(let field, let comparison, let value):
      return comparison.holds(
        between: entity.comparand(of: field)?.sortKey ?? [],
        value.flatMap(field.comparand)?.sortKey ?? []
      )
    case .not, .and, .or, .sql, .matches: return nil
    }
  }
}

extension Field {
  /// Returns whether the field is an array with an element that equals a value, or nil if it is no
  /// array or no value can equal this one.
  package func includes(_ value: Value, _ entity: some FieldSource) -> Bool? {
    guard case .array(let elements)? = entity.value(of: stored) else { return nil }
    return includes(value, in: elements)
  }

  /// Returns whether one of the elements equals a value, as the field interprets both.
  package func includes(_ value: Value, in elements: [Value]) -> Bool? {
    guard let wanted = comparand(of: value), !wanted.isNotComparable else { return nil }
    return elements.contains { element in
      comparand(of: element).flatMap { Comparison.equal.holds($0, wanted) } == true
    }
  }
}

extension [Bool?] {
  /// Replaces the last results by one: the decisive one if it is among them, otherwise nil if that
  /// is, otherwise the opposite of the decisive one.
  fileprivate mutating func joinLast(_ joined: Int, unless decisive: Bool) {
    let parts = suffix(joined)
    let answer: Bool? =
      parts.contains(decisive) ? decisive : (parts.contains(nil) ? nil : !decisive)
    removeLast(joined)
    append(answer)
  }
}

extension Comparison {
  /// Returns whether two values satisfy the comparison, or nil if they cannot be compared.
  package func holds(_ left: Value, _ right: Value) -> Bool? {
    guard let order = left.compared(with: right) else { return nil }
    return switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension Comparison {
  /// Returns whether two sort keys satisfy the comparison.
  fileprivate func holds(between left: [UInt8], _ right: [UInt8]) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left.lexicographicallyPrecedes(right)
    case .lessOrEqual: !right.lexicographicallyPrecedes(left)
    case .greater: right.lexicographicallyPrecedes(left)
    case .greaterOrEqual: !left.lexicographicallyPrecedes(right)
    }
  }
}

extension String {
  fileprivate func containsBytes(of other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard !part.isEmpty else { return true }
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }
}

extension Value {
  /// The key by which joins compare. An identifier equals a reference to it.
  package var joinKey: [UInt8]? {
    guard !isNotComparable else { return nil }
    if case .reference(let id) = self { return Value.string(id.text).sortKey }
    return sortKey
  }
}
