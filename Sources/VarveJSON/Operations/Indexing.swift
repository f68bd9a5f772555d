import VarveCore
import VarveStore

/// `index`: keeps an index on properties of a type, or their full-text search, or ends it.
struct IndexOperation: StoreOperation {
  static let name = "index"
  private let type: EntityType
  private let keys: [PropertyKey]
  /// The tokenizer of the search; nil for an index.
  private let tokenizer: SearchTokenizer?
  private let drops: Bool

  init(_ fields: inout Fields) throws {
    type = EntityType(try fields.need("type").string())
    keys = try fields.need("keys").elements().map { PropertyKey(try $0.string()) }
    drops = try fields.flag("drop")
    tokenizer = try fields.take("search").map { part in
      guard let tokenizer = SearchTokenizer(rawValue: try part.string()) else {
        let names = SearchTokenizer.allCases.map(\.rawValue).joined(separator: ", ")
        throw Misfit("the tokenizer is one of \(names)", at: part.path)
      }
      return tokenizer
    }
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    switch (tokenizer, drops) {
    case (nil, false): try await store.addIndex(on: keys, of: type)
    case (nil, true): return .bool(try await store.removeIndex(on: keys, of: type))
    case (let tokenizer?, false): try await store.addSearch(on: keys, of: type, by: tokenizer)
    case (.some, true): return .bool(try await store.removeSearch(on: keys, of: type))
    }
    return .null
  }
}
