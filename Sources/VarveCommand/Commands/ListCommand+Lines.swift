#if CommandLine
import VarveCore
import VarveStore

extension ListCommand {
  /// Writes entities as comma-separated lines, part by part, so that memory does not depend on their
  /// number. Without --columns, they are read once before, for their keys.
  func writeLines(of state: Snapshot, _ progress: Progress) async throws {
    let columns: [ListColumn]
    var pass = ListingPass(progress, count: self.columns == nil ? 2 : 1)
    if let chosen = self.columns {
      columns = try ListColumn.list(chosen)
    } else {
      var keys: Set<PropertyKey> = []
      try await forEachPart(of: state, &pass) { part in
        for entity in part { keys.formUnion(entity.keys) }
      }
      columns = keys.sorted().map { .property($0) }
    }
    let names = columnNames(try await schema(in: state), and: columns.compactMap(\.key))
    let headings = ["id"] + (all ? ["type"] : []) + columns.map { $0.heading(names) }
    // Written with the first part, so that a query that fails has written nothing.
    var heading = Table.line(headings)
    try await forEachPart(of: state, &pass) { part in
      let lines = part.map { entity in
        Table.line(
          [entity.id.text] + (all ? [entity.type.text] : []) + columns.map { $0.text(of: entity) }
        )
      }
      try Output.text(heading + lines.joined())
      heading = ""
    }
    try Output.text(heading)
  }

  /// Calls the body with all entities to list, a part at a time.
  private func forEachPart(
    of state: Snapshot,
    _ pass: inout ListingPass,
    _ body: ([StoredEntity]) throws -> Void
  ) async throws {
    if let type {
      var part: [StoredEntity] = []
      for try await entity in state.stream(query(EntityType(type))) {
        part.append(entity)
        guard part.count == Self.partCount else { continue }
        try body(part)
        pass.advance(part.count)
        part.removeAll(keepingCapacity: true)
      }
      try body(part)
      pass.advance(part.count)
      return
    }
    let ids = Array(try await state.allIDs().dropFirst(offset).prefix(selection.limit ?? .max))
    for start in stride(from: 0, to: ids.count, by: Self.partCount) {
      let part = ids[start..<min(start + Self.partCount, ids.count)]
      let entities = try await state.entities(Array(part)).compactMap { $0 }
      try body(entities)
      pass.advance(entities.count, of: ids.count)
    }
  }
}

/// The progress of reading entities once or twice.
private struct ListingPass {
  private let progress: Progress
  private let count: Int
  private var done = 0

  init(_ progress: Progress, count: Int) {
    self.progress = progress
    self.count = count
  }

  mutating func advance(_ number: Int, of total: Int? = nil) {
    done += number
    progress.show(done, of: total.map { $0 * count })
  }
}
#endif
