import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Queries of models have the results of plain arrays")
struct NaiveQueryTests {
  @Test(
    arguments: Engine.allCases,
    0..<1
  )
  func `queries of every type find the same now, in a transaction, and then`(
    engine: Engine,
    seed: Int
  ) async throws {
    try await NaiveRun(engine, seed: UInt64(seed)).run(count: 10)
  }
}

@Suite("Soak: queries of models", .enabled(if: isSoaking))
struct NaiveQuerySoakTests {
  @Test(arguments: 100..<400)
  func `soak: queries of models have the results of plain arrays over many stores`(seed: Int)
    async throws
  {
    let engine = Engine.allCases[seed % 3]
    try await NaiveRun(engine, seed: UInt64(seed)).run(count: 4 + seed % 30)
  }
}

/// Whether the long tests run.
private let isSoaking = ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1"

/// One random store beside an array.
private final class NaiveRun {
  private let engine: Engine
  private let clock = TestClock()
  private var random: SplitMix64
  private let place: String

  init(_ engine: Engine, seed: UInt64) {
    self.engine = engine
    random = SplitMix64(seed: seed)
    place = "\(engine) seed \(seed)"
  }

  func run(count: Int) async throws {
    let store = try await makeStore(engine, clock: clock)
    var models = try await fill(store, count, named: "a")
    try await compare(store, models, "new")
    let past = try await store.frontier()
    let before = models

    for index in models.indices where Bool.random(using: &random) {
      models[index].change(using: &random)
      if Bool.random(using: &random) {
        try await store.save(models[index])
      } else {
        try await writeOddly(models[index], to: store)
      }
    }
    try await compare(store, models, "changed")
    try await compare(store.asOf(past), before, "past")

    let other = try await makeStore(engine, clock: clock)
    let others = try await fill(other, count / 2, named: "b")
    try await store.merge(from: other)
    try await compare(store, models + others, "merged")

    try await store.write { tx in
      clock.advance(by: 1)
      var sample = Sample.random("last", using: &random)
      try await tx.save(sample)
      sample.change(using: &random)
      models.removeFirst()
      try await tx.erase(["a0"])
      try await tx.save(sample)
      try await compare(tx, models + others + [sample], "in a transaction")
    }
  }

  private func fill(_ store: Store, _ count: Int, named name: String) async throws -> [Sample] {
    var models: [Sample] = []
    for index in 0..<count {
      clock.advance(by: 1)
      let id = EntityID(stringLiteral: "\(name)\(index)")
      models.append(try await store.save(Sample.random(id, using: &random)))
    }
    return models
  }

  /// Writes a model in other valid forms: decimal numbers in another form, an older property name.
  private func writeOddly(_ model: Sample, to store: Store) async throws {
    try await store.save(model)
    try await store.write { tx in
      let id = model.id.entityID
      if let text = model.decimal.map({ "\($0)" }) {
        try await tx.set(id, "decimal", .string(text.contains(".") ? text + "00" : text + ".0"))
      }
      if let text = model.moved.map({ "\($0)" }) {
        try await tx.remove(id, "moved")
        try await tx.set(id, "before", .string("+0" + text.drop { $0 == "-" }))
        if text.hasPrefix("-") { try await tx.set(id, "before", .string(text + "e0")) }
      }
    }
  }

  private func compare(_ reading: some Reading, _ models: [Sample], _ state: String) async throws {
    let place = "\(state), \(place)"
    try await NaiveComparing(name: "int", keyPath: \.int, domain: Domain.ints)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "small", keyPath: \.small, domain: Domain.smalls)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "unsigned", keyPath: \.unsigned, domain: Domain.unsigneds)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "double", keyPath: \.double, domain: Domain.doubles)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "float", keyPath: \.float, domain: Domain.floats)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "decimal", keyPath: \.decimal, domain: Domain.decimals)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "moved", keyPath: \.moved, domain: Domain.decimals)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "date", keyPath: \.date, domain: Domain.dates)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "uuid", keyPath: \.uuid, domain: Domain.uuids)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "grade", keyPath: \.grade, domain: Grade.allCases)
      .compare(reading, models, place, using: &random)
    try await NaiveComparing(name: "entity", keyPath: \.entity, domain: Domain.entities)
      .compare(reading, models, place, using: &random)
    let text = NaiveComparing(name: "text", keyPath: \.text, domain: Domain.texts) {
      Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
    }
    try await text.compare(reading, models, place, using: &random)
    try await sums(reading, models, place)
  }

  private func sums(_ reading: some Reading, _ models: [Sample], _ place: String) async throws {
    let smalls = models.compactMap(\.small).map { Int($0) }
    let (small, mean) = try await reading.aggregate(Sample.all, .sum(\.small), .average(\.small))
    #expect(small == (smalls.isEmpty ? nil : smalls.reduce(0, +)), "sum of small, \(place)")
    let expected = smalls.isEmpty ? nil : Double(smalls.reduce(0, +)) / Double(smalls.count)
    #expect(mean == expected, "mean of small, \(place)")

    let wide = models.compactMap(\.int).reduce(Int128(0)) { $0 + Int128($1) }
    let error = await failure {
      let int = try await reading.aggregate(Sample.all, .sum(\.int))
      #expect(int.map { Int128($0) } ?? 0 == wide, "sum of int, \(place)")
    }
    #expect((error?.code == .valueTooLarge) == (Int(exactly: wide) == nil), "\(place)")

    // Few enough digits that Foundation adds them exactly.
    let (low, high, long): (Decimal, Decimal, Decimal) = (-1_000, 1_000, Domain.decimals[6])
    let narrow = Sample.where { $0.decimal < high && $0.decimal > low && $0.decimal != long }
    let decimals = models.compactMap(\.decimal).filter { $0 < high && $0 > low && $0 != long }
    let decimal = try await reading.aggregate(narrow, .sum(\.decimal))
    #expect(
      decimal == (decimals.isEmpty ? nil : decimals.reduce(0, +)),
      "sum of decimal, \(place)"
    )
    let even = try await reading.aggregate(narrow, .average(\.decimal))
    if let even, let decimal {
      let difference = even * Decimal(decimals.count) - decimal
      #expect(abs(difference) < Decimal(sign: .plus, exponent: -25, significand: 1), "\(place)")
    }
  }
}
