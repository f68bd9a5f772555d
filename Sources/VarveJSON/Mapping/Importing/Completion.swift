import VarveCore
import VarveStore

/// Finds the entities that a complete document omits.
final class Completion {
  /// The mappings that are complete, by type.
  private let complete: [EntityType: CompiledMapping]
  /// The types for which the document has a top-level part.
  private var covered: Set<EntityType> = []
  /// The types for which a top-level part is missing.
  private var lacking: Set<EntityType> = []

  init(_ mappings: CompiledMappings) {
    let complete = Dictionary(
      mappings.all.filter { $0.mapping.completeness != nil }.map { ($0.mapping.entity, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for mapping in mappings.all { mapping.isWatched = complete[mapping.mapping.entity] != nil }
    self.complete = complete
  }

  /// Records that the document has a top-level list of objects of a mapping, even an empty one.
  func cover(_ mapping: CompiledMapping) { covered.insert(mapping.mapping.entity) }

  /// Records that the part of the document with objects of a mapping is missing.
  func lack(_ mapping: CompiledMapping) { lacking.insert(mapping.mapping.entity) }

  /// Returns the live entities of complete types that the document does not name, in creation
  /// order.
  ///
  /// - Parameters:
  ///   - named: the entities that the document names.
  ///   - isReadable: whether everything in the document could be identified. If not, the result is
  ///     empty, because an unreadable object may be any of the entities.
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
          "no entity of type \(type) ended, because some objects could not be identified"
        )
        continue
      }
      var query = Query(type)
      if case .matching(let condition) = mapping.mapping.completeness {
        query = query.where(condition)
      }
      try await reading.reading { state in
        try await state.reader.fetch(query, pageSize: 1_000) { page in
          leftOut += page.lazy.map(\.id).filter { !named.contains($0) }
          return true
        }
      }
    }
    return leftOut
  }
}
