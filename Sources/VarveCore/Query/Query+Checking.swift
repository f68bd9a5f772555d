extension Query {
  /// Whether the query contains custom SQL.
  package var hasRawSQL: Bool {
    joins.contains { if case .sql = $0 { true } else { false } }
      || condition.contains { if case .sql = $0 { true } else { false } }
  }

  /// Whether the query contains a full-text search, also of related entities.
  package var hasSearch: Bool {
    condition.contains { if case .matches = $0 { true } else { false } } || hasRelevance
      || related.contains { $0.query.hasSearch }
  }

  /// Whether the query sorts or compares by the relevance of a full-text search.
  package var hasRelevance: Bool { !relevances.isEmpty }

  private var relevances: [[Field]] {
    fields.compactMap { field in
      if case .relevance(_, let searched) = field.stored { searched } else { nil }
    }
  }

  /// The properties that the full-text searches read, by type.
  package var searches: [(type: EntityType, wishes: [SearchWish])] {
    var searches: [(type: EntityType, wishes: [SearchWish])] = []
    func add(_ fields: [Field]) {
      for field in fields {
        let (types, keys) = searched(field)
        let own = field.joinedType == nil
        let wishes = keys.map { SearchWish($0, by: own ? tokenizers[$0] : nil) }
        for type in types where !wishes.isEmpty { searches.append((type, wishes)) }
      }
    }
    _ = condition.contains { part in
      if case .matches(_, let fields) = part { add(fields) }
      return false
    }
    for fields in relevances { add(fields) }
    for related in related { searches += related.query.searches }
    return searches
  }

  private func searched(_ field: Field) -> ([EntityType], [PropertyKey]) {
    switch field {
    case .property(let key): ([type] + subtypes, [key])
    case .firstOf(let key, let older): ([type] + subtypes, [key] + older)
    case .joined(let type, let inner): ([type], searched(inner).1)
    case .decimal(let inner), .folded(let inner): searched(inner)
    case .identifier, .datestamp, .modified, .inside, .ofRelated, .aggregate, .relevance: ([], [])
    }
  }

  /// Checks that the query uses only properties and joins that exist.
  ///
  /// - Throws: ``VarveError`` with code `unknownProperty` for a property that the query's model
  ///   does not have, or `invalidQuery` for a field of a type that is not joined and for a type
  ///   that is joined twice.
  package func validate() throws {
    if let refusal { throw refusal }
    var types: Set<EntityType> = []
    for case .entities(let joined, let field, let other) in joins {
      try validate(other, among: types)
      guard types.insert(joined).inserted else { throw joinedTwice(joined) }
      try validate(field.qualified(by: joined), among: types)
      if case .joined = field { try validate(field, among: types) }
    }
    for field in condition.fields { try validate(field, among: types) }
    for related in condition.existing { try validate(related, among: types) }
    for criterion in ordering { try validate(criterion.field, among: types) }
    if case .fields(let fields) = selection {
      for field in fields { try validate(field, among: types) }
    }
  }

  /// Checks that the query can be run, which fetches whole entities.
  ///
  /// - Throws: ``VarveError``: `invalidQuery` if the query selects columns, and as ``validate()``.
  package func validateForRunning() throws {
    try validate()
    guard selection == .all else {
      throw VarveError(
        .invalidQuery,
        "the query selects columns, but a fetch returns whole entities",
        at: "query of \"\(type)\"",
        remedy: "Use the query without `select`, or ask for the SQL with `sql(_:)`."
      )
    }
  }

  private func validate(_ field: Field, among types: Set<EntityType>) throws {
    switch field {
    case .identifier, .datestamp, .modified: return
    case .joined(let type, let inner):
      guard !types.contains(type) else { return try validate(inner, of: type, joinedKeys[type]) }
      if type == self.type { return try validate(inner, among: types) }
      throw VarveError(
        .invalidQuery,
        "the query names \"\(type)\", which it does not join",
        at: "query of \"\(self.type)\"",
        remedy: "Join the type before you use its fields."
      )
    case .decimal(let inner), .folded(let inner), .inside(let inner, _):
      try validate(inner, among: types)
    case .ofRelated(let inner, let related):
      try validate(related, among: types)
      try related.query.validate(inner, among: [])
    case .aggregate(let aggregation, let related):
      try validate(related, among: types)
      if let field = aggregation.field { try related.query.validate(field, among: []) }
    case .relevance(_, let fields):
      for field in fields { try validate(field, among: types) }
    case .property, .firstOf: try validate(field, of: type, knownKeys)
    }
  }

  private func validate(_ related: RelatedEntities, among types: Set<EntityType>) throws {
    try validate(related.own, among: types)
    if case .equal(let field, _) = related.link { try related.query.validate(field, among: []) }
    guard !related.query.hasRawSQL else {
      throw VarveError(
        .invalidQuery,
        "a condition on related entities contains SQL",
        at: "query of \"\(type)\"",
        remedy: "Use it in the query's own condition."
      )
    }
    try related.query.validate()
  }

  private func joinedTwice(_ type: EntityType) -> VarveError {
    VarveError(
      .invalidQuery,
      "the query joins \"\(type)\" twice, so its fields would be of two entities",
      at: "query of \"\(self.type)\"",
      remedy: "Join each type once; fetch the others by a query of their own."
    )
  }

  private func validate(
    _ field: Field,
    of type: EntityType,
    _ knownKeys: Set<PropertyKey>?
  ) throws {
    guard let knownKeys else { return }
    switch field {
    case .property(let key) where !knownKeys.contains(key),
      .firstOf(let key, _) where !knownKeys.contains(key):
      throw VarveError(
        .unknownProperty,
        "\"\(type)\" has no property \"\(key)\"",
        at: "query of \"\(self.type)\"",
        remedy: "Its properties are \(knownKeys.sorted().map(\.text).joined(separator: ", "))."
      )
    case .decimal(let inner), .folded(let inner), .inside(let inner, _):
      try validate(inner, of: type, knownKeys)
    default: return
    }
  }
}

extension Query {
  /// The types that can affect the result, or nil if custom SQL may read any.
  package var types: Set<EntityType>? {
    guard !hasRawSQL else { return nil }
    var types = Set([type] + subtypes)
    for case .entities(let type, _, _) in joins { types.insert(type) }
    for related in related { types.formUnion(related.types) }
    return types
  }

  /// Returns the types whose entities the result depends on, including those that raw SQL names;
  /// nil if the SQL may name other tables than those of types.
  ///
  /// A type counts if its name is a word of the SQL. A chance occurrence costs one unnecessary
  /// evaluation.
  ///
  /// - Parameter tables: the name of each type in SQL; nil if SQL may find them under other names.
  package func types(of tables: [EntityType: String]?) -> Set<EntityType>? {
    if let types { return types }
    guard let tables else { return nil }
    let words = sqlWords
    guard !words.nameInternalTables else { return nil }
    var types = related.reduce(into: Set([type] + subtypes + joinedTypes)) { types, related in
      types.formUnion(related.types)
    }
    for (type, name) in tables where words.contains(name) { types.insert(type) }
    return types
  }

  /// The words of the custom SQL, which may be names of types and keys.
  package var sqlWords: SQLWords {
    sqlTexts.reduce(into: SQLWords()) { $0.add($1) }
  }

  private var sqlTexts: [String] {
    var texts: [String] = []
    for case .sql(let join, _) in joins { texts.append(join) }
    _ = condition.contains { part in
      if case .sql(let condition, _) = part { texts.append(condition) }
      return false
    }
    return texts
  }

  /// Whether the query joins its own type.
  package var joinsItself: Bool { joinedTypes.contains(type) }

  /// The joined types, in order.
  package var joinedTypes: [EntityType] {
    joins.compactMap { if case .entities(let type, _, _) = $0 { type } else { nil } }
  }

  /// Returns whether a field belongs to the fetched entities and not to joined ones.
  package func isOwn(_ field: Field) -> Bool {
    guard let type = field.joinedType else { return true }
    return type == self.type && !joinsItself
  }

  /// Whether a join may repeat the row of an entity.
  package var mayRepeat: Bool {
    joins.contains { join in
      if case .entities(_, on: .identifier, _) = join { false } else { true }
    }
  }
}

extension Condition {
  /// Returns whether an elementary part of the condition satisfies a predicate.
  package func contains(_ predicate: (Condition) -> Bool) -> Bool {
    var rest = [self]
    while let next = rest.popLast() {
      switch next {
      case .not(let inner): rest.append(inner)
      case .and(let inner), .or(let inner): rest += inner
      default: if predicate(next) { return true }
      }
    }
    return false
  }

  /// The fields that the condition uses.
  package var fields: [Field] {
    var fields: [Field] = []
    _ = contains { part in
      switch part {
      case .compare(let field, _, _), .isIn(let field, _), .hasPrefix(let field, _),
        .contains(let field, _), .isMissing(let field), .sorts(let field, _, _),
        .includes(let field, _):
        fields.append(field)
      case .compareFields(let field, _, let other): fields += [field, other]
      case .matches(_, let searched): fields += searched
      case .always, .exists, .sql, .not, .and, .or: break
      }
      return false
    }
    return fields
  }
}
