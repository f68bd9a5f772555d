import VarveCore
import VarveStore

/// Closed databases with the same items, to be copied or opened.
struct Templates {
  let items: [Item]
  let varve: String
  let plain: String
  /// The path, if this template was requested.
  let rowPerValue: String

  init(
    _ context: Context,
    _ items: [Item],
    isIndexed: Bool = false,
    hasRowPerValue: Bool = false
  ) async throws {
    self.items = items
    varve = context.workspace.freshPath("varve")
    plain = context.workspace.freshPath()
    rowPerValue = context.workspace.freshPath()
    let store = try await VarveItems(varve)
    try await store.insert(items)
    if isIndexed { try await store.store.addIndex(on: "city", of: VarveItems.type) }
    try await store.store.close()
    let database = try RawItems(plain)
    try database.insert(items)
    if isIndexed { try database.database.execute(Pragmas.index) }
    try database.database.checkpoint()
    guard hasRowPerValue else { return }
    let rows = try RowPerValue(rowPerValue)
    try rows.insert(items)
    if isIndexed { try rows.addIndex(on: "city") }
    try rows.database.checkpoint()
  }
}
