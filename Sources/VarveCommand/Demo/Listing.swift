#if CommandLine
import VarveCore
import VarveStore

/// The content of a store in a fixed order, for comparison with another store.
struct Listing: Equatable {
  /// An entity with the length of its history.
  struct Line: Equatable {
    let id: EntityID
    let type: EntityType
    let datestamp: HybridTime
    let modified: HybridTime
    let properties: [PropertyKey: StoredEntity.Property]
    let owns: [EntityID]
    let versionCount: Int
  }

  let entities: [Line]
  let frontier: Frontier

  /// Reads the content of a store.
  init(of store: Store) async throws {
    var lines: [Line] = []
    try await store.read { snapshot in
      for type in try await snapshot.types() {
        for entity in try await snapshot.fetch(Query(type.type)) {
          lines.append(
            Line(
              id: entity.id,
              type: entity.type,
              datestamp: entity.datestamp,
              modified: entity.modified,
              properties: entity.properties,
              owns: try await snapshot.relatedIDs(entity.id, .owns),
              versionCount: try await snapshot.history(of: entity.id).count
            )
          )
        }
      }
    }
    entities = lines.sorted { $0.id < $1.id }
    frontier = try await store.frontier()
  }

  /// The number of values, removals and changes of life in all histories.
  var versionCount: Int { entities.reduce(0) { $0 + $1.versionCount } }
}
#endif
