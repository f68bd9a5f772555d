/// The bytes a closed database takes for an entity, history and all indexes included.
enum DiskSize {
  static let name = "bytes on disk"

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000))
    )
    let count = templates.items.count
    let workspace = context.workspace
    return Benchmark(
      name: name,
      unit: .bytes,
      contestants: [
        .init(name: Contestants.varve, count: count) {
          Double(try workspace.byteCount(of: templates.varve))
        },
        .init(name: Contestants.raw, count: count) {
          Double(try workspace.byteCount(of: templates.plain))
        },
      ],
      comparisons: [
        .init(
          name: name,
          subject: Contestants.varve,
          anchor: Contestants.raw,
          kind: .cost,
          bar: Bars.bytesToRaw
        )
      ]
    )
  }
}
