import Foundation
import VarveCore
import VarveStore

/// The measurements that read the log: past states, histories, merges.
extension EntityGrowth {
  private static let pastCallCount = 10
  private static let targetCount = 50
  private static let versionCount = 12
  private static let updatesAgo = 10
  private static let historyRounds = 20
  private static let creationCount = 200
  private static let mergeCount = 5
  private static let changesOfMerge = 100

  /// Reads ten rows as they were ten updates ago. An update between calls makes each call compute
  /// its state again.
  static func past(_ field: Field, into curves: inout GrowthCurves) async throws {
    var random = SeededGenerator(state: 8)
    var states = PastStates(field.store)
    var times: (byTime: [Double], byCommits: [Double]) = ([], [])
    for _ in 0..<updatesAgo + pastCallCount * field.repetitions {
      let index = Int(random.next() % UInt64(field.size))
      try await field.store.set(field.items[index].id, "count", .int(Int64(index)))
      try await states.keep()
      guard states.count > updatesAgo else { continue }
      let city = field.items[index].city
      let byTime = try states.byTime(back: updatesAgo)
      times.byTime.append(try await seconds { try await fetch(city, from: byTime) })
      let byCommits = states.byCommits(back: updatesAgo)
      times.byCommits.append(try await seconds { try await fetch(city, from: byCommits) })
    }
    let name = "filter of 10 rows, as of 10 updates ago"
    curves.add(times.byTime, to: name, of: "Varve, by time", at: field.size, .entities)
    curves.add(times.byCommits, to: name, of: "Varve, by commits", at: field.size, .entities)
  }

  static func history(_ field: Field, into curves: inout GrowthCurves) async throws {
    let targets = (0..<targetCount).map { field.items[$0 * (field.size / targetCount)].id }
    for version in 0..<versionCount {
      try await field.store.write { transaction in
        for id in targets { try await transaction.set(id, "price", .double(Double(version))) }
      }
    }
    let calls = (0..<targetCount * historyRounds).map { targets[$0 % targetCount] }
    let times = try await Growth.seconds(ofEach: calls) { id in
      try found(await field.store.history(of: id, "price", limit: 10).count == 10)
    }
    curves.add(times, to: "latest 10 of a history", at: field.size, .entities)
  }

  /// Reads the first value of an unchanged property, which is in a block of the creation.
  static func creation(_ field: Field, into curves: inout GrowthCurves) async throws {
    var times: [Double] = []
    for repetition in 0..<field.repetitions {
      let items = chosen(creationCount, field, 200 + repetition)
      times += try await Growth.seconds(ofEach: items) { item in
        try found(await field.store.history(of: item.id, "note").count == 1)
      }
    }
    curves.add(times, to: "value given at the creation", at: field.size, .entities)
  }

  /// Measures the merge of a commit of changes to random entities, from a replica that has the same
  /// other commits.
  static func merge(
    _ field: Field,
    _ context: Context,
    into curves: inout GrowthCurves
  ) async throws {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let replica = try await Store.open(path)
    try await replica.merge(from: field.store)
    var times: [Double] = []
    for round in 0..<mergeCount * field.repetitions {
      try await replica.write { transaction in
        for item in chosen(changesOfMerge, field, 300 + round) {
          try await transaction.set(item.id, "count", .int(Int64(round)))
        }
      }
      let time = try await seconds { try await field.store.merge(from: replica) }
      times.append(time / Double(changesOfMerge))
    }
    curves.add(times, to: "merge of 100 changes, a change", at: field.size, .entities)
    try await replica.close()
  }
}
