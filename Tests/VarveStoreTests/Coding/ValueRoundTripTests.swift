import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Random Codable structures")
struct ValueRoundTripTests {
  /// Every type that is coded in a way of its own, in every shape.
  struct Record: Codable {
    var truth: Bool
    var small: Int8
    var large: UInt64
    var float: Float
    var double: Double
    var text: String
    var date: Date
    var data: Data
    var id: EntityID
    var uuid: UUID
    var decimal: Decimal
    var url: URL?
    var optional: Int?
    var list: [Double]
    var lists: [[String]]
    var byName: [String: Int16]
    var byNumber: [Int: Bool]
    var choice: Choice
    var children: [Record]
    var named: [String: Record]
  }

  enum Choice: Codable {
    case none
    case one(Int)
    case two(a: String?, b: [Double])
    indirect case more(Choice, [Choice])
  }

  @Test(arguments: 0..<40)
  func `random Codable structures are decoded bit by bit as they were encoded`(seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    let record = random.record()
    let value = try ValueEncoder().encode(record)
    let back = try ValueDecoder().decode(Record.self, from: value)
    // Values are equal if their bits are; doubles, for example, are not.
    #expect(try ValueEncoder().encode(back) == value)
    #expect(try Value(encoded: value.encoded) == value)
    #expect(Mirror(reflecting: back).children.count == 20)
    #expect(back.double.bitPattern == record.double.bitPattern && back.date == record.date)
  }

  @Test(arguments: 0..<400)
  func `are refused, without a crash, if the value is any other`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let value = random.value(references: ["hat-1"])
    do {
      _ = try ValueDecoder().decode(Record.self, from: value)
      Issue.record("a random value is no record")
    } catch let error as VarveError {
      #expect(error.code == .fieldType)
    }
    _ = try? ValueDecoder().decode(Choice.self, from: value)
    _ = try? ValueDecoder().decode([String: [Double?]].self, from: value)
  }

  @Test(arguments: 0..<100)
  func `random Codable structures are refused if one value in them was changed`(seed: UInt64) throws
  {
    var random = SplitMix64(seed: seed)
    guard case .dictionary(var fields) = try ValueEncoder().encode(random.record()) else { return }
    let key = random.pick(fields.keys.sorted())
    fields[key] = random.value(references: ["hat-1"])
    do {
      // What can be read is what is there.
      let record = try ValueDecoder().decode(Record.self, from: .dictionary(fields))
      _ = try ValueEncoder().encode(record)
    } catch let error as VarveError {
      #expect(error.place?.hasPrefix(key.text) == true)
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func record(depth: Int = 0) -> ValueRoundTripTests.Record {
    let children = depth < 3 ? Int.random(in: 0...2, using: &self) : 0
    return ValueRoundTripTests.Record(
      truth: chance(50),
      small: pick([.min, .max, 0]),
      large: UInt64(pick([0, 1, Int64.max])),
      float: Float(bitPattern: UInt32(truncatingIfNeeded: next())),
      double: chance(30) ? pick([.nan, -0.0, .infinity]) : Double(bitPattern: next()),
      text: text(),
      date: Date(timeIntervalSinceReferenceDate: Double(next() >> 20) / 7),
      data: Data((0..<Int.random(in: 0...5, using: &self)).map { UInt8($0) }),
      id: .new(millisecondsSince1970: 0, using: &self),
      uuid: UUID(),
      decimal: Decimal(Int.random(in: .min ... .max, using: &self)) / pick([1, 7, 1_000, -3]),
      url: chance(50) ? URL(string: "https://hats.example/\(next())") : nil,
      optional: chance(50) ? Int(truncatingIfNeeded: next()) : nil,
      list: (0..<Int.random(in: 0...3, using: &self)).map { _ in Double(bitPattern: next()) },
      lists: (0..<Int.random(in: 0...2, using: &self)).map { _ in chance(50) ? [] : [text()] },
      byName: chance(50) ? [:] : [text(): .min, "b": .max],
      byNumber: chance(50) ? [:] : [.min: true, 7: false],
      choice: choice(),
      children: (0..<children).map { _ in record(depth: depth + 1) },
      named: chance(30) && depth < 3 ? [text(): record(depth: depth + 1)] : [:]
    )
  }

  private mutating func text() -> String {
    pick(["", "a", "\u{E9}", "e\u{301}", "\0", "1", "🧢", "Zürich", "\u{FEFF}", "\r\n"])
  }

  private mutating func choice(depth: Int = 0) -> ValueRoundTripTests.Choice {
    switch Int.random(in: 0..<(depth < 3 ? 4 : 3), using: &self) {
    case 0: .none
    case 1: .one(Int(truncatingIfNeeded: next()))
    case 2: .two(a: chance(50) ? text() : nil, b: chance(50) ? [.nan] : [])
    default: .more(choice(depth: depth + 1), [choice(depth: depth + 1), .none])
    }
  }
}
