package import VarveCore
package import VarveStore

/// A state as plain values, for comparing two states and applying a difference.
package struct StoreShape: Hashable, Sendable {
  package struct Figure: Hashable, Sendable {
    package var type: EntityType
    package var properties: [PropertyKey: StoredEntity.Property]
    /// The free relations and ownerships out of the entity, by relation, in order.
    package var related: [Relation: [EntityID]]
    package var collections: [PropertyKey: [EntityID]]
  }

  /// The live entities.
  package var figures: [EntityID: Figure] = [:]

  /// Reads a state.
  ///
  /// - Parameter keepsDead: whether relations to dead entities are included.
  package init(
    _ view: some Reading,
    _ cast: StoreCast,
    keepsDead: Bool = false
  ) async throws {
    figures = try await view.reading { state in
      var figures: [EntityID: Figure] = [:]
      for id in cast.all {
        figures[id] = try await Self.figure(id, state.reader, cast, keepsDead: keepsDead)
      }
      return figures
    }
  }

  private static func figure(
    _ id: EntityID,
    _ state: any BackendReader,
    _ cast: StoreCast,
    keepsDead: Bool
  ) async throws -> Figure? {
    guard let entity = try await state.entity(id) else { return nil }
    var related: [Relation: [EntityID]] = [:]
    for edge in try await state.edges(from: id, in: nil)
    where edge.relation.kind != .member && !edge.isFromFormerLife {
      if !keepsDead, try await isDead(edge.target, state) { continue }
      related[edge.relation, default: []].append(edge.target)
    }
    var collections: [PropertyKey: [EntityID]] = [:]
    for key in cast.collections + cast.keys + ["shelf"]
    where try await state.isCollection(id, key) {
      collections[key] = []
      for element in try await state.elements(of: id, key: key)
      where try await !isDead(element.target, state) {
        collections[key]?.append(element.target)
      }
    }
    return Figure(
      type: entity.type,
      properties: entity.properties,
      related: related,
      collections: collections
    )
  }

  private static func isDead(_ id: EntityID, _ state: any BackendReader) async throws -> Bool {
    switch try await state.status(of: id) {
    case .erased, .dead: true
    case .live, .unknown: false
    }
  }
}

extension StoreShape {
  /// The shape with relations as sets, in a fixed order.
  package var unordered: StoreShape {
    var shape = self
    for id in figures.keys {
      shape.figures[id]?.related = (figures[id]?.related ?? [:]).mapValues { $0.sorted() }
    }
    return shape
  }

  /// Returns the shape without relations and elements that name some entities.
  package func omitting(_ ids: Set<EntityID>) -> StoreShape {
    var shape = self
    for (id, figure) in figures {
      let related = figure.related.mapValues { $0.filter { !ids.contains($0) } }
      shape.figures[id]?.related = related.filter { !$0.value.isEmpty }
      shape.figures[id]?.collections = figure.collections.mapValues { elements in
        elements.filter { !ids.contains($0) }
      }
    }
    return shape
  }

  /// Returns the shape after a difference, as far as it concerns some entities.
  package func applying(_ difference: Difference, among ids: Set<EntityID>) -> StoreShape {
    var shape = self
    for entity in difference.ended { shape.figures[entity.id] = nil }
    for entity in difference.added + difference.changed where ids.contains(entity.id) {
      var figure =
        shape.figures[entity.id]
        ?? Figure(type: entity.type, properties: [:], related: [:], collections: [:])
      figure.type = entity.type
      for change in entity.properties { figure.properties[change.key] = change.new }
      for change in entity.collections { figure.collections[change.key] = change.new }
      for connection in entity.unrelated {
        figure.related[connection.relation]?.removeAll { $0 == connection.target }
        if figure.related[connection.relation] == [] { figure.related[connection.relation] = nil }
      }
      for connection in entity.related
      where figure.related[connection.relation]?.contains(connection.target) != true {
        figure.related[connection.relation, default: []].append(connection.target)
      }
      shape.figures[entity.id] = figure
    }
    return shape
  }

  /// Returns the first difference from another shape, or nil if there is none.
  package func firstDifference(from other: StoreShape) -> String? {
    for id in Set(figures.keys).union(other.figures.keys).sorted()
    where figures[id] != other.figures[id] {
      let lines = [figures[id], other.figures[id]].map { $0.map(Self.describe) ?? ["not live"] }
      let parts = zip(lines[0], lines[1]).filter { $0 != $1 }
      guard lines[0].count == lines[1].count else { return "\(id)\n1: \(lines[0])\n2: \(lines[1])" }
      return "\(id)\n1: \(parts.map(\.0))\n2: \(parts.map(\.1))"
    }
    return nil
  }

  private static func describe(_ figure: Figure) -> [String] {
    let properties = figure.properties.sorted { $0.key < $1.key }
      .map { "\($0.key) \(Text.of($0.value))" }
    let related = figure.related.map { "\($0.key.kind) \($0.key.name): \($0.value)" }.sorted()
    let collections = figure.collections.sorted { $0.key < $1.key }
      .map { "\($0.key): \($0.value)" }
    return ["\(figure.type)", "\(properties)", "\(related)", "\(collections)"]
  }
}
