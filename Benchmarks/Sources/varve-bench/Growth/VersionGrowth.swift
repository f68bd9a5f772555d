import VarveCore
import VarveStore

/// Properties of one to a thousand versions. The cost of reading or writing the newest should not
/// grow with their number; that of a past state grows with the changes since.
enum VersionGrowth {
  private static let counts = [1, 10, 100, 1_000]
  private static let itemCount = 10_000
  private static let targetCount = 100
  private static let pastCallCount = 3

  static func measure(_ context: Context, into curves: inout GrowthCurves) async throws {
    let items = ItemGenerator.small(context.scaled(itemCount))
    let repetitions = context.options.repetitionCount
    for count in counts where !context.options.isQuick || count < 1_000 {
      let path = context.workspace.freshPath("varve")
      let database = try await VarveItems(path)
      try await database.insert(items)
      let ids = (0..<targetCount).map { items[$0 * (items.count / targetCount)].id }
      let middle = try await write(count, to: ids, database.store)
      try await history(ids, count, database.store, repetitions, into: &curves)
      try await past(ids, count, middle, database.store, repetitions, into: &curves)
      try await update(ids, count, database.store, repetitions, into: &curves)
      try await database.store.close()
      context.workspace.discard(path)
    }
  }

  /// Gives the entities' `count` a number of values. Returns the state in the middle.
  private static func write(
    _ count: Int,
    to ids: [EntityID],
    _ store: Store
  ) async throws -> Frontier {
    var middle = try await store.frontier()
    for version in 0..<count {
      if version == count / 2 { middle = try await store.frontier() }
      try await store.write { transaction in
        for id in ids { try await transaction.set(id, "count", .int(Int64(version))) }
      }
    }
    return middle
  }

  private static func history(
    _ ids: [EntityID],
    _ count: Int,
    _ store: Store,
    _ repetitions: Int,
    into curves: inout GrowthCurves
  ) async throws {
    let calls = (0..<ids.count * 5 * repetitions).map { ids[$0 % ids.count] }
    let times = try await Growth.seconds(ofEach: calls) { id in
      let versions = try await store.history(of: id, "count", limit: 10)
      // The value given at the creation is one of them.
      guard versions.count == min(10, count + 1) else {
        throw RawError(description: "a history has \(versions.count) values")
      }
    }
    curves.add(times, to: "latest 10 of a property's history", at: count, .versions)
  }

  /// The first read of a past state computes it, as an update of another entity ended the last one;
  /// further reads of it do not.
  private static func past(
    _ ids: [EntityID],
    _ count: Int,
    _ middle: Frontier,
    _ store: Store,
    _ repetitions: Int,
    into curves: inout GrowthCurves
  ) async throws {
    let view = store.asOf(middle)
    var first: [Double] = []
    var next: [Double] = []
    for call in 0..<pastCallCount * repetitions {
      try await store.set(ids[call % ids.count], "price", .double(Double(call)))
      first.append(try await seconds { try await expect(count, ids[0], view) })
      next += try await Growth.seconds(ofEach: ids) { try await expect(count, $0, view) }
    }
    let name = "value as of the middle"
    curves.add(first, to: name, of: "first read of the state", at: count, .versions)
    curves.add(next, to: name, of: "further reads", at: count, .versions)
  }

  private static func expect(_ count: Int, _ id: EntityID, _ view: PastState) async throws {
    let value = try await view.entity(id)?["count"]
    // With one version, the state in the middle has the value of the creation.
    guard count == 1 ? value != nil : value == .int(Int64(count / 2 - 1)) else {
      throw RawError(description: "the past says \(value?.description ?? "nothing")")
    }
  }

  private static func update(
    _ ids: [EntityID],
    _ count: Int,
    _ store: Store,
    _ repetitions: Int,
    into curves: inout GrowthCurves
  ) async throws {
    let times = try await Growth.seconds(ofEach: 0..<ids.count * repetitions) { call in
      try await store.set(ids[call % ids.count], "count", .int(Int64(call)))
    }
    curves.add(times, to: "update of a property", at: count, .versions)
  }
}
