import Foundation
import VarveCore
import VarveStore
import VarveTestSupport

/// A model with properties of every kind, two of them renamed.
struct Thing: Persistable {
  static let schema = Schema<Thing>("things") {
    SchemaField("label", \.label, .renamed(from: "name", "title"))
    SchemaField("owner", \.owner, .renamed(from: "keeper"))
    SchemaField("other", \.other)
    SchemaField("number", \.number, .index)
    SchemaField("ratio", \.ratio)
    SchemaField("day", \.day)
    SchemaField("flag", \.flag)
    SchemaField("blob", \.blob)
    SchemaField("tags", \.tags)
    SchemaField("any", \.any)
  }
  var id = Identifier<Thing>()
  var label: Value?
  var owner: Ref<Holder>?
  var other: Ref<Thing>?
  var number: Int?
  var ratio: Double?
  var day: Date?
  var flag: Bool?
  var blob: Data?
  var tags: [String]?
  var any: Value?

  init(row: EntityRow) throws {
    id = try row.id()
    label = try row.read(0)
    owner = try row.read(1)
    other = try row.read(2)
    number = try row.read(3)
    ratio = try row.read(4)
    day = try row.read(5)
    flag = try row.read(6)
    blob = try row.read(7)
    tags = try row.read(8)
    any = try row.read(9)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(label)
    try values.append(owner)
    try values.append(other)
    try values.append(number)
    try values.append(ratio)
    try values.append(day)
    try values.append(flag)
    try values.append(blob)
    try values.append(tags)
    try values.append(any)
  }
}

/// A model with a relation to many followed back, and a list that was renamed.
struct Holder: Persistable {
  static let schema = Schema<Holder>("holders") {
    SchemaField("rank", \.rank)
    SchemaField("any", \.any)
    SchemaField("things", \.things, .relation(inverse: \Thing.owner))
    SchemaField("picks", \.picks, .relation(as: .list), .renamed(from: "choices"))
  }
  var id = Identifier<Holder>()
  var rank: Int?
  var any: Value?
  var things = Many<Thing>()
  var picks = Many<Thing>()

  init(row: EntityRow) throws {
    id = try row.id()
    rank = try row.read(0)
    any = try row.read(1)
  }

  func write(to values: inout PropertyValues) throws {
    try values.append(rank)
    try values.append(any)
  }
}

/// An entity as plain data.
struct PlainEntity: Sendable {
  let id: EntityID
  let type: EntityType
  var values: [PropertyKey: Value]
}

/// What a store should hold, as plain data in the order of creation.
struct PlainState: Sendable {
  var entities: [PlainEntity] = []
  var picks: [EntityID: [EntityID]] = [:]

  func ids(of type: EntityType) -> [EntityID] { entities.filter { $0.type == type }.map(\.id) }

  subscript(id: EntityID) -> PlainEntity? { entities.first { $0.id == id } }
}

/// A field of a model, and where plain data has it.
struct TrialField {
  let field: Field
  let keys: [PropertyKey]

  /// Without keys, the identifier.
  init(_ field: Field, _ keys: PropertyKey...) { (self.field, self.keys) = (field, keys) }

  func value(in entity: PlainEntity?) -> Value? {
    guard let entity else { return nil }
    guard !keys.isEmpty else { return .string(entity.id.text) }
    return keys.lazy.compactMap { entity.values[$0] }.first
  }

  static let ofThing: [TrialField] = {
    var fields: [TrialField] = []
    _ = Thing.where { thing in
      fields = [
        TrialField(thing.id.field), TrialField(thing.label.field, "label", "name", "title"),
        TrialField(thing.owner.field, "owner", "keeper"), TrialField(thing.other.field, "other"),
        TrialField(thing.number.field, "number"), TrialField(thing.ratio.field, "ratio"),
        TrialField(thing.day.field, "day"), TrialField(thing.flag.field, "flag"),
        TrialField(thing.blob.field, "blob"), TrialField(thing.tags.field, "tags"),
        TrialField(thing.any.field, "any"),
      ]
      return .always
    }
    return fields
  }()

  static let ofHolder: [TrialField] = [
    TrialField(.identifier), TrialField(Field("rank"), "rank"), TrialField(Field("any"), "any"),
  ]
}

/// The comparison of plain data: a second, simple implementation of the rules.
enum PlainComparison {
  /// Returns a number less than, equal to or greater than 0; nil if two values cannot be compared.
  static func compare(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.int(let left), .int(let right)): order(left, right)
    case (.double(let left), .double(let right)): numeric(left, right)
    // What the trials use is small enough to be exact.
    case (.int(let left), .double(let right)): numeric(Double(left), right)
    case (.double(let left), .int(let right)): numeric(left, Double(right))
    case (.date(let left), .date(let right)):
      numeric(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.string(let left), .string(let right)): bytes(left.utf8, right.utf8)
    case (.data(let left), .data(let right)): bytes(left, right)
    case (.reference(let left), .reference(let right)): bytes(left.text.utf8, right.text.utf8)
    case (.array, .array), (.dictionary, .dictionary): bytes(left.encoded, right.encoded)
    default: nil
    }
  }

  /// Whether an order of two values satisfies a comparison.
  static func holds(_ comparison: Comparison, _ order: Int) -> Bool {
    switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Whether one value precedes another: missing values first, then by kind, NaN after numbers.
  static func sorts(_ left: Value?, _ right: Value?) -> Int {
    guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
    if left.sortRank != right.sortRank { return order(left.sortRank, right.sortRank) }
    return compare(left, right) ?? ((isNaN(left) ? 1 : 0) - (isNaN(right) ? 1 : 0))
  }

  /// Whether a join matches: identifiers, references and texts are equal where their texts are.
  static func joins(_ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right else { return false }
    return compare(plain(left), plain(right)) == 0
  }

  static func plain(_ value: Value) -> Value {
    if case .reference(let id) = value { .string(id.text) } else { value }
  }

  static func isNaN(_ value: Value) -> Bool {
    switch value {
    case .double(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  private static func numeric(_ left: Double, _ right: Double) -> Int? {
    left.isNaN || right.isNaN ? nil : order(left, right)
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left == right ? 0 : (left < right ? -1 : 1)
  }

  private static func bytes<S: Sequence<UInt8>>(_ left: S, _ right: S) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : (right.lexicographicallyPrecedes(left) ? 1 : 0)
  }
}
