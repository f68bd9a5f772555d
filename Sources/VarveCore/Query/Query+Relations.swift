extension Query {
  /// Returns a query for the entities of a type that refer to an entity by a property.
  ///
  /// ```swift
  /// let orders = Query.toMany("orders", of: "hat-5", by: "hat_id")
  /// ```
  public static func toMany(
    _ type: EntityType,
    of id: EntityID,
    by foreignKey: PropertyKey
  ) -> Query {
    Query(type).toMany(of: id, by: Field(foreignKey))
  }

  /// Returns the query limited to entities that refer to an entity.
  package func toMany(of id: EntityID, by field: Field) -> Query {
    self.where(field == .reference(id))
  }

  /// Returns a query for the entities of a type that an intermediate query leads to, with one row
  /// for each path.
  ///
  /// ```swift
  /// let customers = try Query.toMany(
  ///   "customers", through: .toMany("orders", of: "hat-5", by: "hat_id"), by: "customer_id")
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the entities to fetch.
  ///   - intermediate: the query that leads to them. Its joins and conditions are kept, its order
  ///     is dropped.
  ///   - foreignKey: the referring property: of the intermediate entities, or, with `joinToMany`,
  ///     of the fetched ones.
  ///   - joinToMany: whether the fetched entities refer to the intermediate ones.
  /// - Throws: ``VarveError`` with code `invalidQuery` if the intermediate query has a limit or an
  ///   offset.
  public static func toMany(
    _ type: EntityType,
    through intermediate: Query,
    by foreignKey: PropertyKey,
    joinToMany: Bool = false
  ) throws -> Query {
    try Query(type).through(intermediate, by: Field(foreignKey), joinToMany: joinToMany)
  }

  /// Joins the query that leads to the entities.
  package func through(
    _ intermediate: Query,
    by key: Field,
    joinToMany: Bool
  ) throws -> Query {
    guard intermediate.limit == nil, intermediate.offset == 0 else {
      throw VarveError(
        .invalidQuery,
        "an intermediate query cannot have a limit or an offset, because it is joined",
        at: "query of \"\(intermediate.type)\"",
        remedy: "Leave them out, or fetch its entities first and query theirs separately."
      )
    }
    let middle = intermediate.type
    var query =
      joinToMany
      ? join(middle, on: .identifier, equals: key) : join(middle, on: key, equals: .identifier)
    for join in intermediate.joins {
      switch join {
      case .entities(let type, let field, let other):
        query = query.join(type, on: field, equals: other.qualified(by: middle))
      case .sql(let text, let values): query = query.join(sql: text, values)
      }
    }
    query.joinedKeys.merge(intermediate.joinedKeys) { own, _ in own }
    if let known = intermediate.knownKeys { query.joinedKeys[middle] = known }
    query.wantedIndexes += intermediate.wantedIndexes
    query.refusal = query.refusal ?? intermediate.refusal
    return query.where(intermediate.condition.qualified(by: middle))
  }
}

extension Field {
  /// Returns the field as one of a joined type.
  func qualified(by type: EntityType) -> Field {
    switch self {
    case .joined: self
    case .decimal(let inner): .decimal(inner.qualified(by: type))
    case .folded(let inner): .folded(inner.qualified(by: type))
    case .inside(let inner, let path): .inside(inner.qualified(by: type), path)
    case .ofRelated(let inner, let related): .ofRelated(inner, related.qualified(by: type))
    case .aggregate(let aggregation, let related):
      .aggregate(aggregation, related.qualified(by: type))
    case .relevance(let text, let fields):
      .relevance(text, fields.map { $0.qualified(by: type) })
    default: .joined(type, self)
    }
  }
}

extension Condition {
  /// Returns the condition with its fields as those of a joined type.
  func qualified(by type: EntityType) -> Condition {
    mapFields({ $0.qualified(by: type) }, { $0.qualified(by: type) })
  }

  /// Returns the condition with each of its fields and relations replaced.
  package func mapFields(
    _ replace: (Field) -> Field,
    _ relate: (RelatedEntities) -> RelatedEntities = { $0 }
  ) -> Condition {
    switch self {
    case .compare(let field, let comparison, let value):
      .compare(replace(field), comparison, value)
    case .compareFields(let field, let comparison, let other):
      .compareFields(replace(field), comparison, replace(other))
    case .isIn(let field, let values): .isIn(replace(field), values)
    case .hasPrefix(let field, let text): .hasPrefix(replace(field), text)
    case .contains(let field, let text): .contains(replace(field), text)
    case .includes(let field, let value): .includes(replace(field), value)
    case .isMissing(let field): .isMissing(replace(field))
    case .sorts(let field, let comparison, let value): .sorts(replace(field), comparison, value)
    case .matches(let text, let fields): .matches(text, fields.map(replace))
    case .exists(let related): .exists(relate(related))
    case .not(let inner): .not(inner.mapFields(replace, relate))
    case .and(let parts): .and(parts.map { $0.mapFields(replace, relate) })
    case .or(let parts): .or(parts.map { $0.mapFields(replace, relate) })
    case .always, .sql: self
    }
  }
}
