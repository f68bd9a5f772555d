import Synchronization
import VarveCore
import VarveEntities

extension Store {
  /// Creates the indexes and search tables that a model declares, if they do not exist.
  func prepare<Model: Persistable>(_ schema: Schema<Model>) async throws {
    try await prepare(schema.wantedIndexes)
    guard let query = schema.searchQuery else { return }
    guard !indexed.withLock({ $0.contains(.words(of: schema.type)) }) else { return }
    try await prepareSearch(query)
    indexed.withLock { _ = $0.insert(.words(of: schema.type)) }
  }
}

extension Schema {
  /// A query that searches all searchable properties, or nil if there are none.
  var searchQuery: Query? {
    let fields = columns.filter(\.isSearchable).map(\.column.field)
    return fields.isEmpty ? nil : self.query.where(.matches("", fields))
  }

  /// The tokenizers of searchable properties, under all names that they have had.
  var tokenizers: [PropertyKey: SearchTokenizer] {
    var tokenizers: [PropertyKey: SearchTokenizer] = [:]
    for field in columns {
      guard let tokenizer = field.tokenizer else { continue }
      for key in [field.column.key] + field.column.older { tokenizers[key] = tokenizer }
    }
    return tokenizers
  }

  /// The indexes that the schema declares.
  var wantedIndexes: [WantedIndex] {
    let wanted =
      columns.filter(\.wantsIndex).map { [PropertyKey($0.name)] }
      + uniques.filter { $0.count > 1 }.map { $0.map { keys[$0] } } + indexedTogether
    return types.flatMap { type in wanted.map { WantedIndex(type: type, keys: $0) } }
  }
}
