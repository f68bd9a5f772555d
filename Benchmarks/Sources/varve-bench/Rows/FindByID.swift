import GRDB
import VarveCore
import VarveStore

/// One struct by its identifier, random ones, one after another; dynamic entities for information.
enum FindByID {
  static let name = "find by id"
  private static let dynamic = "Varve, dynamic"

  static func make(_ context: Context) async throws -> Benchmark {
    let templates = try await Templates(
      context,
      ItemGenerator.small(context.scaled(200_000)),
      hasRowPerValue: true
    )
    var random = SeededGenerator(state: 4)
    let indices = random.indices(context.scaled(50_000), below: templates.items.count)
    let few = Array(indices.prefix(context.scaled(5_000)))
    let ids = indices.map { templates.items[$0].id }
    let textIDs = indices.map { templates.items[$0].textID }
    let fewIDs = few.map { templates.items[$0].textID }
    let store = try await VarveItems(templates.varve).store
    let raw = try RawItems(templates.plain)
    let records = try RecordItems(templates.plain)
    let handwritten = try HandwrittenItems(templates.plain)
    let rowPerValue = try RowPerValueReading(RowPerValue(templates.rowPerValue))
    return Benchmark(
      name: name,
      contestants: [
        .init(name: Contestants.varve, count: ids.count) { evidence in
          for index in few.indices where evidence.isWanted {
            try await evidence.take([found(store.find(Identifier<StockItem>(ids[index])))])
          }
          return try await seconds {
            for id in ids { try found(await store.find(Identifier<StockItem>(id))) }
          }
        },
        .init(name: dynamic, count: ids.count) { evidence in
          for index in few.indices where evidence.isWanted {
            try await evidence.take([found(store.entity(ids[index]))])
          }
          return try await seconds { for id in ids { try found(await store.entity(id)) } }
        },
        .init(name: Contestants.raw, count: ids.count) { evidence in
          for id in fewIDs where evidence.isWanted { try evidence.take([found(raw.find(id))]) }
          return try await seconds { for id in textIDs { try found(raw.find(id)) } }
        },
        .init(name: Contestants.records, count: ids.count) { evidence in
          for id in fewIDs where evidence.isWanted {
            try evidence.take([
              found(await records.pool.read { try ItemRecord.fetchOne($0, key: id) })
            ])
          }
          return try await seconds {
            for id in fewIDs {
              try found(await records.pool.read { try ItemRecord.fetchOne($0, key: id) })
            }
          } * Double(ids.count) / Double(fewIDs.count)
        },
        .init(name: Contestants.handwritten, count: ids.count) { evidence in
          for id in fewIDs where evidence.isWanted {
            try evidence.take([found(handwritten.find(id))])
          }
          return try await seconds { for id in textIDs { try found(handwritten.find(id)) } }
        },
        .init(name: Contestants.rowPerValue, count: ids.count) { evidence in
          for id in fewIDs where evidence.isWanted {
            try evidence.take([found(rowPerValue.find(id))])
          }
          return try await seconds { for id in textIDs { try found(rowPerValue.find(id)) } }
        },
      ],
      comparisons: .rates(name, toRaw: Bars.findToRaw, toRecords: Bars.findToRecords)
    )
  }

  @inline(never)
  @discardableResult
  private static func found<Found>(_ item: Found?) throws -> Found {
    guard let item else { throw RawError(description: "an item is missing") }
    return item
  }
}
