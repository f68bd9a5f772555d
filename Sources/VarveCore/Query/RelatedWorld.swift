/// The entities among which a query is evaluated in memory.
package final class RelatedWorld {
  /// Returns the elements of the first of some to-many properties that an entity has.
  package typealias Elements = (EntityID, [PropertyKey]) -> [EntityID]

  /// All entities, in creation order.
  let entities: [StoredEntity]
  private let elements: Elements
  /// The first error of an aggregation, which a condition cannot throw.
  private(set) var error: (any Error)?

  init(_ entities: [StoredEntity], _ elements: @escaping Elements) {
    self.entities = entities
    self.elements = elements
  }

  /// Returns the entities that are related to a row, in creation order or in that of the elements.
  func entities(
    _ related: RelatedEntities,
    of row: JoinedRow,
    limit: Int = .max
  ) -> [JoinedRow] {
    let types = Set([related.query.type] + related.query.subtypes)
    let candidates: [StoredEntity]
    switch related.link {
    case .equal(let field, let own):
      guard let links = linked(field, row, by: own) else { return [] }
      candidates = entities.filter(links)
    case .elements(let own, let keys):
      guard own.isIdentifier, let text = row.value(of: own)?.stringValue else { return [] }
      candidates = elements(EntityID(unchecked: text), keys).compactMap { id in
        entities.first { $0.id == id }
      }
    }
    var found: [JoinedRow] = []
    for candidate in candidates where found.count < limit && types.contains(candidate.type) {
      let other = JoinedRow(main: candidate, as: related.query.type, in: self)
      if related.query.condition.holds(for: other) == true { found.append(other) }
    }
    return found
  }

  /// Returns whether an entity has the field that equals a row's; nil if none has. An identifier
  /// equals a reference to it, and nothing else.
  private func linked(
    _ field: Field,
    _ row: JoinedRow,
    by own: Field
  ) -> ((StoredEntity) -> Bool)? {
    if field.isIdentifier || own.isIdentifier {
      return row.named(by: own).map { id in { entity in entity.named(by: field) == id } }
    }
    let pair = FieldPair(field, own)
    return row.comparand(of: pair.right)?.joinKey.map { key in
      { entity in entity.comparand(of: pair.left)?.joinKey == key }
    }
  }

  /// Returns the result of an aggregation; nil if it has none, or an error, which is kept.
  func result(of aggregation: Aggregation, over rows: [JoinedRow]) -> Value? {
    guard let field = aggregation.field else { return .int(Int64(rows.count)) }
    do {
      return try aggregation.result(of: rows.compactMap { $0.value(of: field) })
    } catch {
      self.error = self.error ?? error
      return nil
    }
  }
}

extension FieldSource {
  /// Returns the identifier that the field is, or that it refers to.
  fileprivate func named(by field: Field) -> String? {
    switch value(of: field.stored) {
    case .reference(let id): id.text
    case .string(let text) where field.isIdentifier: text
    default: nil
    }
  }
}
