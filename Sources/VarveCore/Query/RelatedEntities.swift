/// The entities that are related to an entity of a query, in the query's conditions, orders and
/// groups.
///
/// ```swift
/// let hats = RelatedEntities.referring("Hat", by: "shop")
/// let query = Query("Shop").where(hats.count > 3 && hats.where(Field("price") > 9).exists)
///   .order(by: hats.sum(Field("price")), descending: true)
/// ```
public struct RelatedEntities: Hashable, Sendable {
  /// How the entities are related.
  public enum Link: Hashable, Sendable {
    /// A field of theirs equals a field of the query's entity, as in a join. But an identifier equals
    /// only references to it, not texts.
    case equal(Field, Field)
    /// They are the elements of a to-many property of the entity with an identifier, as often as it
    /// contains them. It is the first of several properties that the entity has.
    case elements(of: Field, [PropertyKey])
  }

  /// Their types, and the condition that they satisfy.
  package private(set) var query: Query
  /// How they are related.
  package private(set) var link: Link

  package init(_ query: Query, _ link: Link) { (self.query, self.link) = (query, link) }

  /// Returns the entities of a type that refer to the query's entity by a property. A text that
  /// equals an identifier is no reference.
  public static func referring(_ type: EntityType, by key: PropertyKey) -> RelatedEntities {
    RelatedEntities(Query(type), .equal(.property(key), .identifier))
  }

  /// Returns the elements of a to-many property that have a type.
  public static func elements(of key: PropertyKey, _ type: EntityType) -> RelatedEntities {
    RelatedEntities(Query(type), .elements(of: .identifier, [key]))
  }

  /// Returns those entities that also satisfy a condition on their own fields. The condition cannot
  /// contain SQL.
  public func `where`(_ condition: Condition) -> RelatedEntities {
    RelatedEntities(query.where(condition), link)
  }

  /// There is such an entity.
  public var exists: Condition { .exists(self) }
  /// The number of entities.
  public var count: Field { .aggregate(Aggregation(.count), self) }
  /// Returns the sum of the numbers in a field; missing if there are none.
  public func sum(_ field: Field) -> Field { .aggregate(Aggregation(.sum, of: field), self) }
  /// Returns the mean of the numbers in a field; missing if there are none.
  public func average(_ field: Field) -> Field {
    .aggregate(Aggregation(.average, of: field), self)
  }
  /// Returns the least value of a field; missing if there is none.
  public func minimum(_ field: Field) -> Field {
    .aggregate(Aggregation(.minimum, of: field), self)
  }
  /// Returns the greatest value of a field; missing if there is none.
  public func maximum(_ field: Field) -> Field {
    .aggregate(Aggregation(.maximum, of: field), self)
  }
  /// Returns the number of values of a field that differ from each other.
  public func countDistinct(_ field: Field) -> Field {
    .aggregate(Aggregation(.countDistinct, of: field), self)
  }

  /// Returns the relation of the entities of a joined type.
  package func qualified(by type: EntityType) -> RelatedEntities {
    var related = self
    related.link =
      switch link {
      case .equal(let field, let own): .equal(field, own.qualified(by: type))
      case .elements(let own, let keys): .elements(of: own.qualified(by: type), keys)
      }
    return related
  }

  /// The field of the query's entity that relates it.
  package var own: Field {
    switch link {
    case .equal(_, let own), .elements(let own, _): own
    }
  }

  /// The types that the relation depends on.
  package var types: Set<EntityType> { query.types ?? [] }
}

extension Field {
  /// Returns a field of the entity that this reference names. It is missing if there is no such
  /// entity of the type, and if this is no reference, such as a text that equals an identifier.
  ///
  /// ```swift
  /// let hats = Query("Hat").order(by: Field("shop").target("Shop", Field("name")))
  /// ```
  public func target(_ type: EntityType, _ field: Field) -> Field {
    .ofRelated(field, RelatedEntities(Query(type), .equal(.identifier, self)))
  }

  /// The relations that the field follows, those of a relation's own field before it.
  package var related: [RelatedEntities] {
    switch self {
    case .ofRelated(let inner, let related): related.own.related + [related] + inner.related
    case .aggregate(let aggregation, let related):
      related.own.related + [related] + (aggregation.field?.related ?? [])
    case .joined(_, let inner), .decimal(let inner), .folded(let inner), .inside(let inner, _):
      inner.related
    case .property, .identifier, .datestamp, .modified, .firstOf, .relevance: []
    }
  }
}

extension Condition {
  /// The relations that the condition requires to have entities, not those within them.
  package var existing: [RelatedEntities] {
    var existing: [RelatedEntities] = []
    _ = contains { part in
      if case .exists(let related) = part { existing.append(related) }
      return false
    }
    return existing
  }

  /// The relations that the condition follows.
  package var related: [RelatedEntities] {
    fields.flatMap(\.related) + existing.flatMap { $0.own.related + [$0] }
  }
}

extension Query {
  /// The fields of the rows that the query itself uses.
  package var fields: [Field] {
    var fields = condition.fields + ordering.map(\.field)
    for case .entities(_, let field, let other) in joins { fields += [field, other] }
    return fields
  }

  /// The relations that the query follows.
  package var related: [RelatedEntities] {
    condition.related
      + ordering.flatMap(\.field.related)
      + joins.flatMap { join -> [RelatedEntities] in
        guard case .entities(_, let field, let other) = join else { return [] }
        return field.related + other.related
      }
  }

  /// The references that relations follow backwards, which would be slow without an index.
  package var relatedIndexes: [WantedIndex] {
    related.flatMap { related -> [WantedIndex] in
      guard case .equal(.property(let key), _) = related.link else {
        return related.query.relatedIndexes
      }
      return [WantedIndex(type: related.query.type, key: key)] + related.query.relatedIndexes
    }
  }
}
