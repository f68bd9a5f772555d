import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

/// What exports write, read again.
@Suite("Exported tables come back equal")
struct ExportRoundTripTests {
  /// Values of each kind that texts may confuse, round or cut.
  private static let values: [[Value]] = [
    [true, false],
    [.int(.max), .int(.min), 0, 9_007_199_254_740_993],
    [
      0.1, -0.0, 1e300, .double(.leastNonzeroMagnitude), 2, .double(.nan), .double(.infinity),
      .double(-.infinity), 1e22,
    ],
    [
      "", " ", "12", "007", "true", "2018-12-08", "n/a", "a,b", "\"", "a\r\nb", "\u{FEFF}", "=1",
      "é",
    ],
    ["1", "2"], ["1.5", ""], ["true"], ["2018-12-08"], ["1e400"],
    [.data(Data()), .data(Data([0, 255])), .data(Data("12".utf8))],
    [.reference("a"), .reference("gone"), .reference("12")],
    [0, 0.25, -0.25, 1.1, 565_972_200.123, 86_399.999_999, 1e-7, -1e-7, 252_423_993_599.5]
      .map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
    [.date(Date(timeIntervalSince1970: -62_167_219_200)), .date(Date(timeIntervalSince1970: 0.1))],
    [.date(.distantPast), .date(Date(timeIntervalSince1970: 1e15))],
    [1, 2.5], ["a", 1], [[1, 2]], [["k": 1]], [.data(Data([1])), "AQ=="],
  ]

  private static let keys: [PropertyKey] = [
    "a", "A", "id", "ID", "", "a;b", "a,b", "tab\t", "é", "e\u{301}", "x\0y", "type", "sqlite_x",
  ]

  private static let ids: [EntityID] = ["a", "12", "Hat/1", "é", "x,y", "\"q\"", " "]

  private func store(_ seed: UInt64) async throws -> Store {
    var random = SplitMix64(seed: seed)
    let store = try await Store.open(.inMemory)
    let columns = Self.keys.shuffled(using: &random).prefix(6).map { key in
      (key, random.pick(Self.values))
    }
    for id in Self.ids {
      var values: [PropertyKey: Value] = [:]
      for (key, choices) in columns where Int.random(in: 0..<4, using: &random) > 0 {
        values[key] = random.pick(choices)
      }
      try await store.create("Hat", id: id, values)
    }
    return store
  }

  @Test(
    arguments: Seeds.first(40, of: 0..<4_000)
  )
  func `comma-separated lines are adopted as they were, or the export names the column`(
    seed: UInt64
  ) async throws {
    let scratch = try await Scratch()
    let store = try await store(seed)
    var bytes: [UInt8] = []
    let report = try await store.export(csv: "Hat", progress: { _ in }, to: { bytes += $0 })
    #expect(report.lineCount == Self.ids.count)
    try Data(bytes).write(to: URL(fileURLWithPath: scratch.path))
    try await scratch.store.adopt(csv: scratch.path, as: "Hat", reading: report.reading)
    let inexact = Set(
      report.inexact.map { inexact in
        report.reading.properties[PropertyKey(inexact.column)] ?? PropertyKey(inexact.column)
      }
    )
    let (before, after) = (try await portrait(store), try await portrait(scratch.store))
    #expect(before.keys.sorted() == after.keys.sorted())
    for (id, properties) in before {
      for key in Set(properties.keys).union(after[id, default: [:]].keys)
      where !inexact.contains(key) {
        #expect(after[id]?[key] == properties[key], "seed \(seed), \(id) \(key)")
      }
    }
    // What is not named as disguised needs no kind to be given.
    var plain = report.reading
    for (heading, _) in report.reading.kinds
    where !report.disguised.contains(where: { PropertyKey($0) == heading }) {
      plain.kinds[heading] = nil
    }
    let again = try await scratch.store.adopt(csv: scratch.path, as: "Hat", reading: plain)
    #expect(again.commit == nil, "seed \(seed): \(again)")
    try await scratch.store.close()
    try await store.close()
  }

  private func portrait(_ store: Store) async throws -> [EntityID: [PropertyKey: Value]] {
    var all: [EntityID: [PropertyKey: Value]] = [:]
    for entity in try await store.fetch(Query("Hat")) {
      all[entity.id] = entity.properties.mapValues(\.value)
    }
    return all
  }

  @Test(
    arguments: Seeds.first(20, of: 0..<4_000)
  )
  func `a database is adopted with the values it had, or the export names the column`(seed: UInt64)
    async throws
  {
    let scratch = try await Scratch()
    let store = try await store(seed)
    let report = try await store.export(sqlite: scratch.path)
    try await scratch.adopt()
    let (before, after) = (try await portrait(store), try await portrait(scratch.store))
    #expect(after.count == before.count)
    // Columns are in byte order of their properties, after the identifiers.
    let keys = Set(before.values.flatMap(\.keys)).sorted()
    let columns = try AdoptionPlan(sqlite: scratch.path)["Hat"]?.columns.map(\.name).dropFirst()
    let inexact = Set(report.inexact.map(\.column))
    for (key, column) in zip(keys, try #require(columns)) where !inexact.contains(column) {
      for (id, properties) in before {
        var expected = properties[key]
        if case .reference(let target)? = expected {
          expected = .reference(EntityID(unchecked: "Hat/\(target)"))
        }
        let row = try #require(after[EntityID(unchecked: "Hat/\(id)")])
        #expect(row[PropertyKey(column)] == expected, "seed \(seed), \(id) \(key)")
      }
    }
    try await scratch.store.close()
    try await store.close()
  }

  @Test func `a database has the dates to the digit, and reports the rows as it writes them`()
    async throws
  {
    let scratch = try await Scratch()
    let store = try await Store.open(.inMemory)
    let moments = [0, 0.25, -0.25, 1.1, 565_972_200.123, 86_399.999_999, 1e-7, -1e-7, -4.35]
      .map { Date(timeIntervalSinceReferenceDate: $0) }
    for (number, moment) in moments.enumerated() {
      try await store.create("Hat", ["number": .int(Int64(number)), "at": .date(moment)])
    }
    var last: TableExportProgress?
    try await store.export(sqlite: scratch.path) {
      #expect($0.rowCount >= last?.rowCount ?? 0)
      last = $0
    }
    #expect(last?.rowCount == last?.totalRowCount && last?.rowCount == moments.count * 4)
    try await scratch.adopt()
    let hats = try await scratch.store.fetch(Query("Hat").order(by: Field("number")))
    #expect(hats.map { $0["at"] } == moments.map { .date($0) })
  }

  @Test func `an export whose progress throws writes no file`() async throws {
    let scratch = try await Scratch()
    let store = try await Store.open(.inMemory)
    try await store.create("Hat", ["a": 1])
    await #expect(throws: CancellationError.self) {
      try await store.export(sqlite: scratch.path) { _ in throw CancellationError() }
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path))
    await #expect(throws: CancellationError.self) {
      _ = try await store.export(
        csv: "Hat",
        progress: { _ in throw CancellationError() },
        to: { _ in }
      )
    }
  }
}
