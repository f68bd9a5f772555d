import Synchronization
import VarveCore

extension Store {
  /// Creates the indexes and search tables that a model declares, if they do not exist.
  func prepare<Model: Persistable>(_ schema: Schema<Model>) async throws {
    try await prepare(schema.wantedIndexes)
    guard let query = schema.searchQuery else { return }
    let mark = WantedIndex(type: schema.type, key: "\u{0}words")
    guard !indexed.withLock({ $0.contains(mark) }) else { return }
    try await prepareSearch(query)
    indexed.withLock { _ = $0.insert(mark) }
  }
}

extension Schema {
  /// A query that searches all searchable properties, or nil if there are none.
  var searchQuery: Query? {
    let fields = columns.filter(\.isSearchable).map(\.column.field)
    return fields.isEmpty ? nil : Query(type).including(types).where(.matches("", fields))
  }

  /// The indexes that the schema declares.
  var wantedIndexes: [WantedIndex] {
    let wanted =
      columns.filter(\.wantsIndex).map { PropertyKey($0.name) }
      + uniques.compactMap { $0.first }.map { keys[$0] }
    return types.flatMap { type in wanted.map { WantedIndex(type: type, key: $0) } }
  }
}
