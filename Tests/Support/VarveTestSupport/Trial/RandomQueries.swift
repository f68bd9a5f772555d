package import VarveCore

extension SplitMix64 {
  /// Returns a query for the entities of a history generator, with any predicate, order, offset and
  /// limit.
  package mutating func query(_ generator: HistoryGenerator) -> Query {
    var query = Query(pick(generator.types))
    if chance(80) { query = query.where(predicate(generator, depth: 0)) }
    for _ in 0..<pick([0, 0, 1, 2]) {
      query = query.order(by: field(generator), descending: chance(50))
    }
    if chance(30) { query = query.limit(Int.random(in: 0...4, using: &self)) }
    if chance(30) { query = query.offset(Int.random(in: 0...3, using: &self)) }
    return query
  }

  /// Any field, also with an interpretation or inside a value.
  private mutating func field(_ generator: HistoryGenerator) -> Field {
    let field = plainField(generator)
    return switch Int.random(in: 0..<16, using: &self) {
    case 0: field.ignoringCase
    case 1: .decimal(field)
    case 2: field[pick(["a", "b", "\u{E9}", "c"] as [PropertyKey])]
    case 3: field[pick([0, 1, -1, .max])]
    case 4: field["a"][0].ignoringCase
    case 5: .ofRelated(plainField(generator), related(generator, depth: 2))
    case 6:
      .aggregate(
        Aggregation(pick([.count, .countDistinct, .minimum, .maximum]), of: plainField(generator)),
        related(generator, depth: 2)
      )
    case 7: related(generator, depth: 2).count
    default: field
    }
  }

  /// Entities that are related to a row: by fields, also those of identifiers, or as elements.
  private mutating func related(_ generator: HistoryGenerator, depth: Int) -> RelatedEntities {
    var query = Query(pick(generator.types))
    if chance(30) { query = query.including([pick(generator.types)]) }
    if chance(40) { query = query.where(predicate(generator, depth: depth + 1)) }
    let key = pick(generator.keys)
    switch Int.random(in: 0..<5, using: &self) {
    case 0: return RelatedEntities(query, .elements(of: .identifier, [key, pick(generator.keys)]))
    case 1: return RelatedEntities(query, .equal(.property(key), .identifier))
    case 2: return RelatedEntities(query, .equal(.property(key), plainField(generator)))
    default: return RelatedEntities(query, .equal(.identifier, .property(key)))
    }
  }

  private mutating func plainField(_ generator: HistoryGenerator) -> Field {
    switch Int.random(in: 0..<10, using: &self) {
    case 0: .identifier
    case 1: .datestamp
    case 2: .modified
    case 3: .firstOf(pick(generator.keys), [pick(generator.keys)])
    default: .property(pick(generator.keys))
    }
  }

  private mutating func predicate(_ generator: HistoryGenerator, depth: Int) -> Condition {
    let field = field(generator)
    switch Int.random(in: 0..<(depth < 3 ? 14 : 9), using: &self) {
    case 0: return .always
    case 6: return .includes(field, value(references: generator.ids))
    case 7, 8: return .compareFields(field, pick(Comparison.allCases), self.field(generator))
    case 1: return .isMissing(field)
    case 2: return .hasPrefix(field, pick(["", "a", "e", "entity", "\0", "%", "z\u{DC}"]))
    case 3: return .contains(field, pick(["", "\u{301}", "rich", "_", "ntit", "CH"]))
    case 4:
      let count = Int.random(in: 0...3, using: &self)
      return .isIn(field, (0..<count).map { _ in value(references: generator.ids) })
    case 5:
      return .compare(field, pick(Comparison.allCases), value(references: generator.ids))
    case 9: return .not(predicate(generator, depth: depth + 1))
    case 10: return .exists(related(generator, depth: depth))
    case 11: return .or(predicates(generator, depth: depth + 1))
    default: return .and(predicates(generator, depth: depth + 1))
    }
  }

  private mutating func predicates(_ generator: HistoryGenerator, depth: Int) -> [Condition] {
    let count = Int.random(in: 0...3, using: &self)
    return (0..<count).map { _ in predicate(generator, depth: depth) }
  }
}
