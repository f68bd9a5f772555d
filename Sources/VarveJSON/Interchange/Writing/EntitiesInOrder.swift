import VarveCore
import VarveStore

/// The live entities of a state, of all types, in creation order; those with equal datestamps by
/// type.
///
/// It merges one stream per type by repeatedly taking the earliest entity.
struct EntitiesInOrder {
  private struct Cursor {
    var head: StoredEntity
    let rank: Int
    var iterator: EntityStream.Iterator

    func precedes(_ other: Cursor) -> Bool {
      (head.datestamp, rank) < (other.head.datestamp, other.rank)
    }
  }

  /// The approximate number of entities of all types that are read at a time.
  private static let pageTotal = 1_024

  /// The cursors, in reverse order: the next is last.
  private var cursors: [Cursor] = []

  init(_ state: Snapshot, _ types: [EntityType]) async throws {
    let pageSize = max(4, Self.pageTotal / max(1, types.count))
    for (rank, type) in types.enumerated() {
      let stream = state.stream(Query(type), pageSize: pageSize)
      var iterator = stream.makeAsyncIterator()
      guard let head = try await iterator.next() else { continue }
      cursors.append(Cursor(head: head, rank: rank, iterator: iterator))
    }
    cursors.sort { $1.precedes($0) }
  }

  /// Returns the next entity; nil after the last.
  mutating func next() async throws -> StoredEntity? {
    guard var cursor = cursors.popLast() else { return nil }
    let entity = cursor.head
    guard let following = try await cursor.iterator.next() else { return entity }
    cursor.head = following
    // Entities are created in runs of one type, so the place is usually the end.
    var place = cursors.count
    while place > 0, cursors[place - 1].precedes(cursor) { place -= 1 }
    cursors.insert(cursor, at: place)
    return entity
  }
}
