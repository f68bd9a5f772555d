import VarveCore
import VarveStore

/// `changes`: returns the changes by the commits beyond a frontier, in order of their stamps.
struct ChangesOperation: StoreOperation {
  static let name = "changes"
  private let frontier: Frontier

  init(_ fields: inout Fields) throws {
    let since = try fields.need("since")
    guard case .frontier(let frontier) = try since.moment() else {
      throw Misfit("a frontier is expected", at: since.path, remedy: "`frontier` returns one.")
    }
    self.frontier = frontier
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let changes = try await store.changes(since: frontier)
    var sets: [JSON] = []
    var size = ReplySize()
    while let change = changes.poll() {
      let set = change.json
      try size.add(set)
      sets.append(set)
    }
    return .array(sets)
  }
}

extension ChangeSet {
  /// The changes as JSON, with their commit.
  fileprivate var json: JSON {
    let keys = keysByEntity.sorted { $0.key < $1.key }.map { id, keys in
      JSON.Member(name: id.text, value: .array(keys.sorted().map { .string($0.text) }))
    }
    return [
      "added": added.json,
      "erased": erased.json,
      "changed": changed.json,
      "keys": .object(keys),
      "time": .string(DateWriter.exact(commit.time)),
      "author": .string(commit.author ?? ""),
      "message": .string(commit.message ?? ""),
      "commit": .string(commit.id.hash.hexadecimal),
    ]
  }
}
