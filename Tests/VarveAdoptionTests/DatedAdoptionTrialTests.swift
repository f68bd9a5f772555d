import Foundation
import Testing
import VarveAdoption
import VarveCore
import VarveStore
import VarveTestSupport

/// Tables of random dates, adopted in random order.
@Suite("Adopting tables of dates in any order")
struct DatedAdoptionTrialTests {
  @Test(
    arguments: Seeds.first(24, of: 0..<600)
  )
  func `each date has its table, or the adoption is refused without a trace`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let scratch = try await Scratch()
    try scratch.write(DatedTable.schema)
    let dates = try (1...9).map { try Date.iso("2020-0\($0)-01T00:00:00Z") }
    var model = DatedModel()
    for date in (0..<9).shuffled(using: &random).prefix(6) {
      let table = DatedTable(&random)
      try scratch.write(table.sql, enforcingKeys: false)
      let before = try await scratch.store.frontier()
      do {
        try await scratch.adopt(endsMissingRows: true, at: dates[date])
        model.adopt(table, at: date)
        #expect(model.facts(at: date) == table.facts, "seed \(seed), date \(date)")
        let again = try await scratch.adopt(endsMissingRows: true, at: dates[date])
        #expect(again.commit == nil, "seed \(seed), date \(date)")
      } catch let error as VarveError {
        #expect(error.code == .invalidArgument && error.remedy != nil, "seed \(seed): \(error)")
        #expect(try await scratch.store.frontier() == before, "seed \(seed), date \(date)")
      }
      for (other, time) in dates.enumerated() {
        let facts = try await Self.facts(scratch.store.asOf(time))
        let place = "seed \(seed), date \(other) after the table of date \(date)"
        #expect(facts == model.facts(at: other), "\(place)")
      }
      #expect(try await Self.facts(scratch.store) == model.facts(at: 9), "seed \(seed)")
    }
    #expect(try await scratch.store.check().findings.isEmpty, "seed \(seed)")
    try await scratch.store.close()
  }

  private static let relations: [(RelationKind, PropertyKey)] = [(.ownedBy, "o"), (.free, "l")]

  /// What a state says about each live entity.
  private static func facts(_ state: some Reading) async throws -> [String: DatedTable.Row] {
    var facts: [String: DatedTable.Row] = [:]
    for type in ["o", "b"] as [EntityType] {
      for entity in try await state.fetch(Query(type)) {
        var row: DatedTable.Row = [:]
        for key in ["n", "o"] as [PropertyKey] {
          if let value = entity[key] { row[key.text] = "\(value)" }
        }
        for (kind, name) in Self.relations {
          let related = try await state.relatedIDs(entity.id, kind, named: name).map(\.text)
          if !related.isEmpty { row["\(kind)"] = related.sorted().joined(separator: " ") }
        }
        facts[entity.id.text] = row
      }
    }
    return facts
  }
}

/// The content of a small random database.
private struct DatedTable {
  /// The values and relations of a row, by name.
  typealias Row = [String: String]

  static let schema = """
    CREATE TABLE o (id INTEGER PRIMARY KEY, n INTEGER);
    CREATE TABLE b (id INTEGER PRIMARY KEY, n INTEGER, o INTEGER REFERENCES o ON DELETE CASCADE);
    CREATE TABLE l (b INTEGER REFERENCES b, o INTEGER REFERENCES o);
    """

  var sql = "DELETE FROM l; DELETE FROM b; DELETE FROM o;\n"
  var facts: [String: Row] = [:]

  init(_ random: inout SplitMix64) {
    func chance(_ count: Int, of total: Int) -> Bool {
      Int.random(in: 0..<total, using: &random) < count
    }
    var owners: [Int] = []
    for id in 1...2 where chance(5, of: 6) {
      owners.append(id)
      let number = chance(1, of: 3) ? Int.random(in: 1...2, using: &random) : nil
      sql += "INSERT INTO o VALUES (\(id), \(number.map(String.init) ?? "NULL"));\n"
      facts["o#\(id)"] = Self.row(number)
    }
    for id in 1...2 where chance(4, of: 5) {
      let number = chance(2, of: 3) ? Int.random(in: 1...3, using: &random) : nil
      let owner = chance(1, of: 2) ? Int.random(in: 1...2, using: &random) : nil
      let (first, second) = (number.map(String.init) ?? "NULL", owner.map(String.init) ?? "NULL")
      sql += "INSERT INTO b VALUES (\(id), \(first), \(second));\n"
      var row = Self.row(number)
      if let owner {
        row["o"] = "\(Value.reference(EntityID(unchecked: "o#\(owner)")))"
        if owners.contains(owner) { row["ownedBy"] = "o#\(owner)" }
      }
      let linked = owners.filter { _ in chance(1, of: 4) }
      for other in linked { sql += "INSERT INTO l VALUES (\(id), \(other));\n" }
      if !linked.isEmpty { row["free"] = linked.map { "o#\($0)" }.joined(separator: " ") }
      facts["b#\(id)"] = row
    }
  }

  private static func row(_ number: Int?) -> Row {
    number.map { ["n": "\(Value.int(Int64($0)))"] } ?? [:]
  }
}

/// A naive evaluation: each value is a list of what was stored for dates, and holds until the next.
private struct DatedModel {
  private typealias Register = [Int: String?]

  private var lives: [String: Register] = [:]
  private var values: [String: [String: Register]] = [:]

  private static let keys = ["n", "o", "ownedBy", "free"]

  mutating func adopt(_ table: DatedTable, at date: Int) {
    for id in ["o#1", "o#2", "b#1", "b#2"] {
      let row = table.facts[id]
      Self.store(row == nil ? nil : "", at: date, in: &lives[id, default: [:]])
      guard let row else { continue }
      for key in Self.keys {
        Self.store(row[key], at: date, in: &values[id, default: [:]][key, default: [:]])
      }
    }
  }

  func facts(at date: Int) -> [String: DatedTable.Row] {
    var facts: [String: DatedTable.Row] = [:]
    for (id, life) in lives where Self.value(of: life, at: date) != nil {
      var row: DatedTable.Row = [:]
      for (key, register) in values[id] ?? [:] { row[key] = Self.value(of: register, at: date) }
      facts[id] = row
    }
    return facts
  }

  /// Stores a value for a date, unless it holds then anyway.
  private static func store(_ value: String?, at date: Int, in register: inout Register) {
    guard self.value(of: register, at: date) != value else { return }
    register.updateValue(value, forKey: date)
  }

  private static func value(of register: Register, at date: Int) -> String? {
    register.keys.filter { $0 <= date }.max().flatMap { register[$0] ?? nil }
  }
}
