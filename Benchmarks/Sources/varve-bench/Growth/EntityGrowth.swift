import Foundation
import VarveCore
import VarveStore

/// Stores of a thousand to a million entities. Only the total of a bulk insert may grow with their
/// number; operations on one entity should not.
enum EntityGrowth {
  private static let sizes = [1_000, 10_000, 100_000, 1_000_000]
  private static let rowsOfFilter = 10
  private static let insertsOfSmallMost = 50
  private static let findCount = 2_000
  private static let filterCount = 200
  private static let updateCount = 500

  /// The data and stores of one size.
  struct Field {
    let size: Int
    let items: [Item]
    let store: Store
    let raw: RawItems
    let repetitions: Int
  }

  static func measure(_ context: Context, into curves: inout GrowthCurves) async throws {
    for size in sizes.map(context.scaled) {
      let items = items(size)
      try await insert(items, context, into: &curves)
      let templates = try await Templates(context, items, isIndexed: true)
      let field = Field(
        size: size,
        items: items,
        store: try await VarveItems(templates.varve).store,
        raw: try RawItems(templates.plain),
        repetitions: context.options.repetitionCount
      )
      try await find(field, into: &curves)
      try await filter(field, into: &curves)
      try await update(field, into: &curves)
      try await past(field, into: &curves)
      try await history(field, into: &curves)
      try await creation(field, into: &curves)
      try await merge(field, context, into: &curves)
      try await field.store.close()
      context.workspace.discard(templates.varve)
      context.workspace.discard(templates.plain)
    }
  }

  /// Returns items of which ten each are in one city, spread among the others.
  private static func items(_ count: Int) -> [Item] {
    let cityCount = max(1, count / rowsOfFilter)
    return ItemGenerator.small(count).enumerated().map { index, item in
      var item = item
      item.city = "city-\(index % cityCount)"
      return item
    }
  }

  /// Measures the contestants in turn, each beginning every other repetition.
  private static func inTurn(
    _ repetitions: Int,
    _ varve: (Int) async throws -> [Double],
    _ raw: (Int) async throws -> [Double]
  ) async throws -> (varve: [Double], raw: [Double]) {
    var times: (varve: [Double], raw: [Double]) = ([], [])
    for repetition in 0..<repetitions {
      let rawIsFirst = repetition % 2 == 1
      if rawIsFirst { times.raw += try await raw(repetition) }
      times.varve += try await varve(repetition)
      if !rawIsFirst { times.raw += try await raw(repetition) }
    }
    return times
  }

  private static func record(
    _ times: (varve: [Double], raw: [Double]),
    _ name: String,
    _ size: Int,
    into curves: inout GrowthCurves
  ) {
    curves.add(times.varve, to: name, at: size, .entities)
    curves.add(times.raw, to: name, of: Contestants.raw, at: size, .entities)
  }

  private static func insert(
    _ items: [Item],
    _ context: Context,
    into curves: inout GrowthCurves
  ) async throws {
    // Operations that take milliseconds are repeated more often.
    let repetitions = max(
      context.options.repetitionCount,
      min(insertsOfSmallMost, context.scaled(200_000) / items.count)
    )
    let times = try await inTurn(
      repetitions,
      { _ in
        let path = context.workspace.freshPath("varve")
        defer { context.workspace.discard(path) }
        let database = try await VarveItems(path)
        let time = try await seconds { try await database.insert(items) }
        try await database.store.close()
        return [time / Double(items.count)]
      },
      { _ in
        let path = context.workspace.freshPath()
        defer { context.workspace.discard(path) }
        let database = try RawItems(path)
        return [try await seconds { try database.insert(items) } / Double(items.count)]
      }
    )
    record(times, "bulk insert, an entity", items.count, into: &curves)
  }

  /// Returns random items, different ones in each repetition.
  static func chosen(_ count: Int, _ field: Field, _ repetition: Int) -> [Item] {
    var random = SeededGenerator(state: UInt64(repetition))
    return random.indices(count, below: field.size).map { field.items[$0] }
  }

  private static func find(_ field: Field, into curves: inout GrowthCurves) async throws {
    let times = try await inTurn(
      field.repetitions,
      { repetition in
        try await Growth.seconds(ofEach: chosen(findCount, field, repetition)) { item in
          try found(await field.store.entity(item.id) != nil)
        }
      },
      { repetition in
        try await Growth.seconds(ofEach: chosen(findCount, field, repetition)) { item in
          try found(field.raw.find(item.textID) != nil)
        }
      }
    )
    record(times, "find by id", field.size, into: &curves)
  }

  private static func filter(_ field: Field, into curves: inout GrowthCurves) async throws {
    let times = try await inTurn(
      field.repetitions,
      { repetition in
        try await Growth.seconds(ofEach: chosen(filterCount, field, repetition)) { item in
          try await fetch(item.city, from: field.store)
        }
      },
      { repetition in
        try await Growth.seconds(ofEach: chosen(filterCount, field, repetition)) { item in
          try found(field.raw.fetch(city: item.city).count == rowsOfFilter)
        }
      }
    )
    record(times, "indexed filter of 10 rows", field.size, into: &curves)
  }

  private static func update(_ field: Field, into curves: inout GrowthCurves) async throws {
    let times = try await inTurn(
      field.repetitions,
      { repetition in
        try await Growth.seconds(ofEach: chosen(updateCount, field, repetition)) { item in
          try await field.store.set(item.id, "count", .int(Int64(repetition)))
        }
      },
      { repetition in
        try await Growth.seconds(ofEach: chosen(updateCount, field, repetition)) { item in
          try field.raw.database.transaction {
            try field.raw.setCount(repetition, of: item.textID)
          }
        }
      }
    )
    record(times, "update of one entity", field.size, into: &curves)
  }

  static func fetch(_ city: String, from state: some Reading) async throws {
    let items = try await state.fetch(Query(VarveItems.type).where(["city": .string(city)]))
    try found(items.count == rowsOfFilter)
  }

  @inline(never)
  static func found(_ isFound: Bool) throws {
    guard isFound else { throw RawError(description: "an item is missing") }
  }
}
