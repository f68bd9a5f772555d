import VarveCore
import VarveStore

/// What a document names, by an object or by an identifying value: nothing of it ends by the document,
/// or reading it again would begin it anew.
final class NamedEntities {
  private var ids: Set<EntityID> = []
  /// Whether anything can end by the document; if not, nothing is remembered.
  private let isNeeded: Bool

  init(_ mappings: CompiledMappings) {
    isNeeded = mappings.all.contains { mapping in
      mapping.mapping.completeness != nil || mapping.links.contains { $0.policy == .replace }
    }
  }

  /// Notes that the document names an entity.
  func insert(_ id: EntityID) {
    if isNeeded { ids.insert(id) }
  }

  func contains(_ id: EntityID) -> Bool { ids.contains(id) }

  /// Takes back what would have named entities die with owners that end: the document says that they
  /// live.
  ///
  /// - Parameter roots: what ends.
  /// - Complexity: O(what ends and the owners of what would die with it).
  func outlive(_ roots: [EntityID], in transaction: WriteTransaction) async throws {
    guard !roots.isEmpty, !ids.isEmpty else { return }
    let doomed = Set(try await transaction.previewErasure(of: roots).deaths.map(\.id))
    for id in doomed.intersection(ids).sorted() {
      let edges = try await transaction.reading { try await $0.backend.edges(to: id, of: .owns) }
      for edge in edges where doomed.contains(edge.source) && !edge.isFromFormerLife {
        // An owner that is named lives on, and so does its ownership.
        guard !ids.contains(edge.source) else { continue }
        let name = edge.relation.name
        try await transaction.unrelate(edge.source, .owns, id, named: name, orphans: .keep)
      }
    }
  }
}
