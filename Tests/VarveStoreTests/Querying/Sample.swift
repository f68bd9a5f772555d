import Foundation
import VarveCore
import VarveStore

enum Grade: Int, OrderedValue, CaseIterable {
  case low = 1
  case middle, high
  static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
}

/// A property of every type that has an order.
struct Sample: Persistable {
  static let schema = Schema<Sample>("samples") {
    SchemaField("int", \.int, .index)
    SchemaField("small", \.small)
    SchemaField("unsigned", \.unsigned)
    SchemaField("double", \.double)
    SchemaField("float", \.float)
    SchemaField("decimal", \.decimal, .index)
    SchemaField("text", \.text, .index)
    SchemaField("date", \.date)
    SchemaField("uuid", \.uuid)
    SchemaField("grade", \.grade)
    SchemaField("entity", \.entity)
    SchemaField("moved", \.moved, .renamed(from: "before"))
  }

  var id: Identifier<Sample>
  var int: Int?
  var small: Int8?
  var unsigned: UInt64?
  var double: Double?
  var float: Float?
  var decimal: Decimal?
  var text: String?
  var date: Date?
  var uuid: UUID?
  var grade: Grade?
  var entity: EntityID?
  var moved: Decimal?

  init(id: Identifier<Sample>) { self.id = id }

  init(row: EntityRow) throws {
    id = try row.id()
    int = try row.read(0)
    small = try row.read(1)
    unsigned = try row.read(2)
    double = try row.read(3)
    float = try row.read(4)
    decimal = try row.read(5)
    text = try row.read(6)
    date = try row.read(7)
    uuid = try row.read(8)
    grade = try row.read(9)
    entity = try row.read(10)
    moved = try row.read(11)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(int)
    try values.append(small)
    try values.append(unsigned)
    try values.append(double)
    try values.append(float)
    try values.append(decimal)
    try values.append(text)
    try values.append(date)
    try values.append(uuid)
    try values.append(grade)
    try values.append(entity)
    try values.append(moved)
  }
}

/// Random values of a property, few enough that some are equal.
enum Domain {
  static let ints = [-5, 0, 1, 2, 9, 10, 11, Int.max, Int.min]
  static let smalls: [Int8] = [-128, -1, 0, 9, 10, 100, 127]
  static let unsigneds: [UInt64] = [0, 9, 10, 11, UInt64(Int64.max)]
  static let doubles = [-2.5, -0.0, 0, 0.25, 9, 10, 10.5, 1e300, .infinity, .nan]
  static let floats: [Float] = [-2.5, 0, 0.25, 9, 10, 0.1, 3e38, .nan]
  static let decimals = [
    "9", "10", "-9", "-10", "-10.5", "0", "9.00000000000000000000000000000000001", "100", "0.1",
    "0.09", "1e20", "-1e-30", "99999999999999999999999999999999999999",
  ].compactMap { Decimal(string: $0) }
  static let texts = ["", "a", "B", "b", "ba", "10", "9", "é", "z\u{0}"]
  static let dates = [-1e9, 0, 0.001, 1.5, 1e9].map(Date.init(timeIntervalSinceReferenceDate:))
  static let uuids = (0..<4).map { n in
    UUID(uuid: (n * 60, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  }
  static let entities: [EntityID] = ["a", "b", "00000000-0000-0000-0000-000000000001", "ba"]
}

extension Sample {
  static func random(_ id: EntityID, using random: inout some RandomNumberGenerator) -> Sample {
    var sample = Sample(id: Identifier(id))
    sample.change(using: &random)
    return sample
  }

  /// Gives every property another value, or none.
  mutating func change(using random: inout some RandomNumberGenerator) {
    int = Self.pick(Domain.ints, &random)
    small = Self.pick(Domain.smalls, &random)
    unsigned = Self.pick(Domain.unsigneds, &random)
    double = Self.pick(Domain.doubles, &random)
    float = Self.pick(Domain.floats, &random)
    decimal = Self.pick(Domain.decimals, &random)
    text = Self.pick(Domain.texts, &random)
    date = Self.pick(Domain.dates, &random)
    uuid = Self.pick(Domain.uuids, &random)
    grade = Self.pick(Grade.allCases, &random)
    entity = Self.pick(Domain.entities, &random)
    moved = Self.pick(Domain.decimals, &random)
  }

  private static func pick<V>(_ values: [V], _ random: inout some RandomNumberGenerator) -> V? {
    Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
  }
}
