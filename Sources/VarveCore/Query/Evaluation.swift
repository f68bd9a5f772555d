/// Evaluates queries over entities in memory: the meaning the SQL must have.
extension Condition {
  /// Whether an entity satisfies the condition. A comparison that cannot be made (a missing
  /// value, another kind) does not hold, and neither does its negation: SQL's three values.
  package func holds(for entity: Entity) -> Bool? {
    // Not by recursion: `c = c || …` in a loop nests as deep as it ran.
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

  /// The same for a condition without others in it.
  private func holdsByItself(for entity: Entity) -> Bool? {
    switch self {
    case .always: return true
    case .compare(let field, let comparison, let value):
      return entity.value(of: field).flatMap { comparison.holds($0, value) }
    case .isIn(let field, let values):
      guard let present = entity.value(of: field) else { return nil }
      let answers = values.map { Comparison.equal.holds(present, $0) }
      return answers.contains(true) ? true : (answers.contains(nil) ? nil : false)
    case .hasPrefix(let field, let text):
      return entity.value(of: field)?.stringValue.map { $0.utf8.starts(with: text.utf8) }
    case .contains(let field, let text):
      return entity.value(of: field)?.stringValue.map { $0.containsBytes(of: text) }
    case .isMissing(let field): return entity.value(of: field) == nil
    case .not, .and, .or: return nil
    }
  }
}

extension [Bool?] {
  /// Replaces the last answers by one: the decisive one if it is among them, else nothing if that is,
  /// else the opposite.
  fileprivate mutating func joinLast(_ joined: Int, unless decisive: Bool) {
    let parts = suffix(joined)
    let answer: Bool? =
      parts.contains(decisive) ? decisive : (parts.contains(nil) ? nil : !decisive)
    removeLast(joined)
    append(answer)
  }
}

extension Comparison {
  /// Whether two values compare so; nil where they cannot be compared.
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

extension String {
  fileprivate func containsBytes(of other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard !part.isEmpty else { return true }
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }
}

extension Query {
  /// What of these entities, given in creation order, the query fetches.
  package func evaluate(_ entities: [Entity]) -> [Entity] {
    let matching = entities.filter { $0.type == type && condition.holds(for: $0) == true }
    let keys = matching.map { entity in ordering.map { entity.value(of: $0.field)?.sortKey ?? [] } }
    let order = matching.indices.sorted { left, right in
      for (index, criterion) in ordering.enumerated() where keys[left][index] != keys[right][index]
      {
        let precedes = keys[left][index].lexicographicallyPrecedes(keys[right][index])
        return precedes != criterion.isDescending
      }
      return left < right
    }
    return order.dropFirst(offset).prefix(limit ?? .max).map { matching[$0] }
  }
}
