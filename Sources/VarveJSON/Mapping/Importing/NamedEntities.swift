import VarveCore
import VarveStore

/// The entities that a document names, by an object or by an identifying value. They do not end by
/// the document; otherwise importing it again would create them anew.
final class NamedEntities {
  private var ids: Set<EntityID> = []
  /// Whether entities can end by the document; if not, nothing is recorded.
  private let isNeeded: Bool

  init(_ mappings: CompiledMappings) {
    isNeeded = mappings.all.contains { mapping in
      mapping.mapping.completeness != nil || mapping.links.contains { $0.policy == .replace }
    }
  }

  /// Records that the document names an entity.
  func insert(_ id: EntityID) {
    if isNeeded { ids.insert(id) }
  }

  func contains(_ id: EntityID) -> Bool { ids.contains(id) }

  /// Removes the ownerships by which named entities would die with their owners, because the
  /// document states that they live.
  ///
  /// - Parameter roots: the entities that end.
  /// - Complexity: O(entities that end and the owners of those that would die with them).
  func outlive(_ roots: [EntityID], in transaction: WriteTransaction) async throws {
    guard !roots.isEmpty, !ids.isEmpty else { return }
    let doomed = Set(try await transaction.previewErasure(of: roots).deaths.map(\.id))
    for id in doomed.intersection(ids).sorted() {
      let edges = try await transaction.reading { try await $0.reader.edges(to: id, of: .owns) }
      for edge in edges where doomed.contains(edge.source) && !edge.isFromFormerLife {
        // A named owner lives on, and so does its ownership.
        guard !ids.contains(edge.source) else { continue }
        let name = edge.relation.name
        try await transaction.unrelate(edge.source, .owns, id, named: name, orphans: .keep)
      }
    }
  }
}
