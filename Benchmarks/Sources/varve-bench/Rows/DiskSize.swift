import VarveStore

/// The bytes of a closed database per entity, including history and all indexes. GRDB's records are
/// in the plain table.
enum DiskSize {
  static let name = "bytes on disk"

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000)),
      hasRowPerValue: true
    )
    let count = templates.items.count
    let workspace = context.workspace
    return Benchmark(
      name: name,
      unit: .bytes,
      contestants: [
        .init(name: Contestants.varve, count: count) { evidence in
          let bytes = try workspace.byteCount(of: templates.varve)
          let database = try await VarveItems(templates.varve)
          try await database.prove(evidence)
          try await database.store.close()
          return Double(bytes)
        },
        .init(name: Contestants.raw, count: count) { evidence in
          let bytes = try workspace.byteCount(of: templates.plain)
          try RawItems(templates.plain).prove(evidence)
          return Double(bytes)
        },
        .init(name: Contestants.rowPerValue, count: count) { evidence in
          let bytes = try workspace.byteCount(of: templates.rowPerValue)
          try RowPerValue(templates.rowPerValue).prove(evidence)
          return Double(bytes)
        },
      ],
      comparisons: [
        .init(
          name: name,
          subject: Contestants.varve,
          anchor: Contestants.raw,
          kind: .cost,
          bar: Bars.bytesToRaw
        ),
        .init(
          name: name,
          subject: Contestants.varve,
          anchor: Contestants.rowPerValue,
          kind: .cost,
          bar: nil
        ),
      ]
    )
  }
}
