import VarveCore
import VarveStore

/// Finds what a document that says it is complete leaves out.
final class Completion {
  /// The mappings that are complete, by type.
  private let complete: [EntityType: CompiledMapping]
  /// The types a top-level part of the document was about.
  private var covered: Set<EntityType> = []
  /// The types of which a top-level part is missing.
  private var lacking: Set<EntityType> = []

  init(_ mappings: CompiledMappings) {
    let complete = Dictionary(
      mappings.all.filter { $0.mapping.completeness != nil }.map { ($0.mapping.entity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for mapping in mappings.all { mapping.isWatched = complete[mapping.mapping.entity] != nil }
    self.complete = complete
  }

  /// Notes that the document has objects of a mapping at its top, be they none.
  func cover(_ mapping: CompiledMapping) { covered.insert(mapping.mapping.entity) }

  /// Notes that a part of the document that would have objects of a mapping is not there.
  func lack(_ mapping: CompiledMapping) { lacking.insert(mapping.mapping.entity) }

  /// The live entities of complete types that the document does not name, in creation order.
  ///
  /// - Parameters:
  ///   - named: what the document names.
  ///   - isReadable: whether everything in the document could be identified. If not, nothing is left
  ///     out: what could not be read may be it.
  func leftOut(
    of named: NamedEntities,
    in reading: any Reading,
    isReadable: Bool,
    note: (String, String) -> Void
  ) async throws -> [EntityID] {
    var leftOut: [EntityID] = []
    for type in covered.subtracting(lacking).sorted() {
      guard let mapping = complete[type] else { continue }
      guard isReadable else {
        note(
          "",
          "nothing of type \(type) ended: not everything in the document could be identified"
        )
        continue
      }
      var query = Query(type)
      if case .matching(let condition) = mapping.mapping.completeness {
        query = query.where(condition)
      }
      try await reading.reading { state in
        try await state.backend.fetch(query, pageSize: 1_000) { page in
          leftOut += page.lazy.map(\.id).filter { !named.contains($0) }
          return true
        }
      }
    }
    return leftOut
  }
}
