import VarveCore
import VarveStore

/// Relations between entities, as the rows of tables.
struct ExportedLinks {
  /// A relation, or a to-many property of one type.
  struct Name: Hashable, Comparable {
    let kind: Relation.Kind
    let name: PropertyKey
    /// The type that has the to-many property; nil for a relation.
    let type: EntityType?

    /// The wanted name of the table.
    var text: String {
      if let type { return type.text + "_" + name.text }
      return name.text.isEmpty ? "\(kind)" : name.text
    }

    static func < (left: Name, right: Name) -> Bool {
      (left.kind.rawValue, left.name, left.type?.text ?? "")
        < (right.kind.rawValue, right.name, right.type?.text ?? "")
    }
  }

  /// The types at both ends of a table's links.
  struct Ends {
    var sources: Set<EntityType> = []
    var targets: Set<EntityType> = []
  }

  /// The tables, by name.
  private(set) var tables: [Name: Ends] = [:]

  /// Reads which relations the entities of a type have.
  mutating func survey(_ type: EntityType, in reader: any BackendReader) async throws {
    try await Self.forEach(of: type, in: reader) { name, _, targets in
      tables[name, default: Ends()].sources.insert(type)
      for target in targets {
        guard let target = try await reader.liveType(of: target) else { continue }
        tables[name, default: Ends()].targets.insert(target)
      }
    }
  }

  /// Calls the body with every relation of every entity of a type, and its live targets in order.
  static func forEach(
    of type: EntityType,
    in reader: any BackendReader,
    _ body: (Name, EntityID, [EntityID]) async throws -> Void
  ) async throws {
    try await reader.fetch(Query(type), pageSize: exportPageSize) { page in
      for entity in page {
        var targets: [Relation: [EntityID]] = [:]
        for edge in try await reader.edges(from: entity.id, in: nil) {
          guard edge.relation.kind != .member,
            try await reader.liveType(of: edge.target) != nil
          else { continue }
          targets[edge.relation, default: []].append(edge.target)
        }
        for (relation, targets) in targets.sorted(by: { $0.key < $1.key }) {
          let name = Name(kind: relation.kind, name: relation.name, type: nil)
          try await body(name, entity.id, targets)
        }
        for key in try await reader.collections(of: entity.id) {
          var elements: [EntityID] = []
          for element in try await reader.elements(of: entity.id, key: key)
          where try await reader.liveType(of: element.target) != nil {
            elements.append(element.target)
          }
          try await body(Name(kind: .member, name: key, type: type), entity.id, elements)
        }
      }
      return true
    }
  }
}
