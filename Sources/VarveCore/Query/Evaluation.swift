/// Something with fields: an entity, or several entities that a query joins.
package protocol FieldSource {
  /// Returns the value of a field, or nil if it is missing.
  func value(of field: Field) -> Value?
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

extension Query {
  /// Returns the entities that the query fetches.
  ///
  /// - Parameter entities: all entities, in creation order.
  /// - Throws: ``VarveError`` with code `unsupported` for SQL and full-text search, and the errors
  ///   of ``validate()``.
  package func evaluate(_ entities: [StoredEntity]) throws -> [StoredEntity] {
    try rows(of: entities).map(\.main)
  }

  /// Returns the values of fields for each row that the query fetches.
  ///
  /// - Throws: as ``evaluate(_:)``.
  package func evaluate(_ entities: [StoredEntity], _ fields: [Field]) throws -> [[Value?]] {
    try rows(of: entities).map { row in fields.map { row.value(of: $0) } }
  }

  private func rows(of entities: [StoredEntity]) throws -> [JoinedRow] {
    try validateForRunning()
    guard !hasRawSQL, !hasSearch else {
      throw VarveError(.unsupported, "SQL and full-text search need an SQL backend")
    }
    let types = Set([type] + subtypes)
    var rows = entities.filter { types.contains($0.type) }.map { JoinedRow(main: $0, as: type) }
    for case .entities(let type, let field, let other) in joins {
      rows = JoinedRow.join(rows, entities.filter { $0.type == type }, on: field, equals: other)
    }
    let matching = rows.filter { condition.holds(for: $0) == true }
    let keys = matching.map { row in ordering.map { row.comparand(of: $0.field)?.sortKey ?? [] } }
    let order = matching.indices.sorted { left, right in
      precedes(keys[left], keys[right]) ?? (left < right)
    }
    var seen: Set<EntityID> = []
    let beginning = mark.map { values in
      zip(ordering, values).map { $1.flatMap($0.field.comparand)?.sortKey ?? [] }
    }
    return order.filter { !isDistinct || seen.insert(matching[$0].main.id).inserted }
      .filter { index in beginning.map { precedes($0, keys[index]) == true } ?? true }
      .dropFirst(offset).prefix(limit ?? .max).map { matching[$0] }
  }

  /// Returns whether one row precedes another by the criteria, or nil if the criteria are equal.
  private func precedes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool? {
    for (index, criterion) in ordering.enumerated() where left[index] != right[index] {
      return left[index].lexicographicallyPrecedes(right[index]) != criterion.isDescending
    }
    return nil
  }
}

/// An entity and the entities joined to it.
private struct JoinedRow: FieldSource {
  let main: StoredEntity
  /// The type that the query names. An entity of a subtype has another type.
  private let type: EntityType
  private var others: [EntityType: StoredEntity] = [:]

  init(main: StoredEntity, as type: EntityType) {
    self.main = main
    self.type = type
  }

  func value(of field: Field) -> Value? {
    switch field {
    case .joined(let type, let inner):
      if let other = others[type] { return other.value(of: inner) }
      return type == self.type ? main.value(of: inner) : nil
    case .decimal(let inner), .folded(let inner):
      return value(of: inner.stored).flatMap(field.interpreted)
    case .inside(let inner, let path):
      return value(of: inner.stored)?.at(path).flatMap(field.interpreted)
    default: return main.value(of: field)
    }
  }

  static func join(
    _ rows: [JoinedRow],
    _ entities: [StoredEntity],
    on field: Field,
    equals other: Field
  ) -> [JoinedRow] {
    let present = entities.compactMap { entity in
      entity.comparand(of: field)?.joinKey.map { (key: $0, entity: entity) }
    }
    let byKey = Dictionary(grouping: present, by: \.key)
    return rows.flatMap { row -> [JoinedRow] in
      guard let key = row.comparand(of: other)?.joinKey else { return [] }
      return (byKey[key] ?? []).map { match in
        var joined = row
        joined.others[match.entity.type] = match.entity
        return joined
      }
    }
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
