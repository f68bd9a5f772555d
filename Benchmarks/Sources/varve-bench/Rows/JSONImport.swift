import CParse
import VarveCore
import VarveJSON
import VarveStore

/// A JSON array imported by a mapping: against simdjson's parse alone and the same bulk insert; and
/// imported again, when nothing is written.
enum JSONImport {
  static let name = "JSON import"
  private static let parts = "parse + bulk insert"
  private static let again = "imported again"
  /// 100 MB of text, about.
  static let itemCount = 300_000

  static func make(_ context: Context) async throws -> Benchmark {
    let document = try ItemDocument(
      context.scaled(itemCount),
      to: context.workspace.freshPath("json"),
      padding: parse_padding()
    )
    let full = context.workspace.freshPath("varve")
    let store = try await Store.open(full)
    try await take(document.path, into: store)
    try await store.close()
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: document.rows.count) {
          try await inEmptyStore(context) { try await take(document.path, into: $0) }
        },
        .init(name: parts, count: document.rows.count) {
          let parse = await seconds {
            parse_whole(document.bytes, document.byteCount)
          }
          return try await parse
            + inEmptyStore(context) {
              try await $0.create("Item", keys: ItemDocument.keys, rows: document.rows)
            }
        },
        .init(name: again, count: document.rows.count) {
          let store = try await Store.open(full)
          let time = try await seconds { try await take(document.path, into: store) }
          try await store.close()
          return time
        },
      ],
      comparisons: [
        .init(
          name: name,
          subject: Contestants.varve,
          anchor: parts,
          kind: .cost,
          bar: Bars.importToParts
        ),
        .init(
          name: "\(name), unchanged",
          subject: again,
          anchor: Contestants.varve,
          kind: .rate,
          bar: Bars.importAgainToFirst
        ),
      ]
    )
  }

  static func take(_ path: String, into store: Store) async throws {
    var options = ImportOptions()
    options.listsEntities = false
    try await store.import(DocumentSource(file: path), by: ItemDocument.mappings, options)
  }

  private static func inEmptyStore(
    _ context: Context,
    _ work: (Store) async throws -> Void
  ) async throws -> Double {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let store = try await Store.open(path)
    let time = try await seconds { try await work(store) }
    try await store.close()
    return time
  }
}
