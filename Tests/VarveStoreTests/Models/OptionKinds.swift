import Foundation
import VarveCore
import VarveStore

/// A type of property, with a naive evaluation of its values.
protocol PropertyKind: Sendable {
  static var samples: [Self] { get }
  static var nature: Nature { get }
  var judged: Judged { get }
  static func read(from row: EntityRow) throws -> Self
  func append(to values: inout PropertyValues) throws
  var stored: Value? { get }
  /// Returns the property of a schema, which depends on the type as the compiler knows it.
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  /// The same for an optional.
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
}

/// The nature of a type, which determines the options that it can have.
enum Nature {
  case number, decimal, text, date, data, collection, reference, identifier, truth, many, any
}

/// What options look at.
struct Judged {
  var number: Double?
  var text: String?
  var date: Date?
  var count: Int?
  var isNothing = false
}

extension PropertyKind where Self: PropertyValue {
  static func read(from row: EntityRow) throws -> Self { try row.read(0) }
  func append(to values: inout PropertyValues) throws { try values.append(self) }
  var stored: Value? { propertyValue }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
}

extension Optional: PropertyKind where Wrapped: PropertyKind {
  static var samples: [Wrapped?] { [nil] + Wrapped.samples.map(Optional.some) }
  static var nature: Nature { Wrapped.nature }
  var judged: Judged { self?.judged ?? Judged(isNothing: true) }
  static func read(from row: EntityRow) throws -> Wrapped? {
    try row.value(at: 0) == nil ? nil : Wrapped.read(from: row)
  }
  func append(to values: inout PropertyValues) throws {
    if let self { try self.append(to: &values) } else { values.append(value: nil) }
  }
  var stored: Value? { self?.stored }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { Wrapped.field(path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { preconditionFailure("no kind is an optional of an optional") }
}

protocol NumberKind: PropertyKind, PropertyValue {}
extension NumberKind {
  static var nature: Nature { .number }
}
extension NumberKind where Self: BinaryInteger {
  static var samples: [Self] { (0...6).map { Self($0) } }
  var judged: Judged { Judged(number: Double(Int(self))) }
}
extension NumberKind where Self: BinaryFloatingPoint {
  static var samples: [Self] { [1.4, 1.5, 2, 2.5, 2.6, 3, 4, 4.1, .nan, .infinity] }
  var judged: Judged { Judged(number: Double(self)) }
}
extension Int: NumberKind {}
extension Int8: NumberKind {}
extension UInt32: NumberKind {}
extension UInt64: NumberKind {}
extension Float: NumberKind {}
extension Double: NumberKind {}

extension Decimal: PropertyKind {
  static var samples: [Decimal] {
    ["1.4", "1.5", "2", "2.5", "3", "4", "4.1", "10"].compactMap { Decimal(string: $0) }
  }
  static var nature: Nature { .decimal }
  var judged: Judged { Judged(number: Double("\(self)")) }
}
extension String: PropertyKind {
  static var samples: [String] { ["", "a", "b", "cc", "d", "e", "bcd", "👨‍👩‍👧‍👦", "bbbbb"] }
  static var nature: Nature { .text }
  var judged: Judged { Judged(text: self, count: count) }
}
extension Bool: PropertyKind {
  static var samples: [Bool] { [true, false] }
  static var nature: Nature { .truth }
  var judged: Judged { Judged() }
}
extension Date: PropertyKind {
  static var samples: [Date] { [-1, 0, 1, 2, 3].map(Date.test) }
  static var nature: Nature { .date }
  var judged: Judged { Judged(date: self) }
}
extension Data: PropertyKind {
  static var samples: [Data] { (0...5).map { Data(count: $0) } }
  static var nature: Nature { .data }
  var judged: Judged { Judged(count: count) }
}
extension UUID: PropertyKind {
  static var samples: [UUID] {
    [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))]
  }
  static var nature: Nature { .text }
  var judged: Judged { Judged(text: uuidString.lowercased(), count: 36) }
}
extension URL: PropertyKind {
  static var samples: [URL] { ["b:", "https://hats.example"].compactMap { URL(string: $0) } }
  static var nature: Nature { .text }
  var judged: Judged { Judged(text: absoluteString, count: absoluteString.count) }
}
extension Array: PropertyKind where Element: PropertyKind & PropertyValue {
  static var samples: [[Element]] {
    (0...5).map { Array(repeating: Element.samples[0], count: $0) }
  }
  static var nature: Nature { .collection }
  var judged: Judged { Judged(count: count) }
}
extension Set: PropertyKind where Element: PropertyKind & PropertyValue {
  static var samples: [Set<Element>] { (0...5).map { Set(Element.samples.prefix($0)) } }
  static var nature: Nature { .collection }
  var judged: Judged { Judged(count: count) }
}

/// Dictionaries that are stored as such, and as arrays.
extension Dictionary: PropertyKind where Key: PropertyKind & Codable, Value == Int {
  static var samples: [[Key: Int]] {
    (0...5).map { count in
      Dictionary(uniqueKeysWithValues: Key.samples.prefix(count).map { ($0, 1) })
    }
  }
  static var nature: Nature { .collection }
  var judged: Judged { Judged(count: count) }
  static func read(from row: EntityRow) throws -> [Key: Int] { try row.read(0) }
  func append(to values: inout PropertyValues) throws { try values.append(self) }
  var stored: VarveCore.Value? { try? ValueEncoder().encode(self) }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
}

enum PlainColor: String, PropertyKind, CaseIterable {
  case a, b, cc, dddd
  static var samples: [PlainColor] { allCases }
  static var nature: Nature { .text }
  var judged: Judged { Judged(text: rawValue, count: rawValue.count) }
  static func read(from row: EntityRow) throws -> PlainColor { try row.read(0) }
  func append(to values: inout PropertyValues) throws { try values.append(self) }
  var stored: Value? { .string(rawValue) }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
}

enum CodedSize: Int, Codable, PropertyKind, CaseIterable {
  case small = 1
  case medium
  case large = 4
  case huge
  static var samples: [CodedSize] { allCases }
  static var nature: Nature { .number }
  var judged: Judged { Judged(number: Double(rawValue)) }
  static func read(from row: EntityRow) throws -> CodedSize { try row.read(0) }
  func append(to values: inout PropertyValues) throws { try values.append(self) }
  var stored: Value? { .int(Int64(rawValue)) }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
}

/// A stored form of its own.
struct Celsius: PropertyValue, PropertyKind {
  var degrees: Double
  var propertyValue: Value? { .double(degrees) }
  init(_ degrees: Double) { self.degrees = degrees }
  init?(propertyValue: Value) {
    guard let degrees = propertyValue.doubleValue else { return nil }
    self.degrees = degrees
  }
  static var samples: [Celsius] { [1, 2, 2.5, 3, 4, 5].map(Celsius.init) }
  static var nature: Nature { .any }
  var judged: Judged { Judged(number: degrees) }
}

/// A dictionary of its own making.
struct Band: Codable, Hashable, PropertyKind {
  var width: Int
  static var samples: [Band] { [Band(width: 1), Band(width: 3)] }
  static var nature: Nature { .any }
  var judged: Judged { Judged() }
  static func read(from row: EntityRow) throws -> Band { try row.read(0) }
  func append(to values: inout PropertyValues) throws { try values.append(self) }
  var stored: Value? { .dictionary(["width": .int(Int64(width))]) }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
}

extension Value: PropertyKind {
  static var samples: [Value] { [1, 3, 2.5, "b", "ccc", true, [1, 2, 3], ["a": 1]] }
  static var nature: Nature { .any }
  var judged: Judged {
    var judged = Judged(number: doubleValue ?? intValue.map { Double($0) }, text: stringValue)
    judged.count = stringValue?.count
    if case .array(let values) = self { judged.count = values.count }
    return judged
  }
}

extension EntityID: PropertyKind {
  static var samples: [EntityID] { ["b", "c"] }
  static var nature: Nature { .identifier }
  var judged: Judged { Judged() }
}
extension Identifier: PropertyKind {
  static var samples: [Identifier] { [Identifier("b")] }
  static var nature: Nature { .identifier }
  var judged: Judged { Judged() }
}
extension Ref: PropertyKind {
  static var samples: [Ref] { [Ref(Identifier("b"))] }
  static var nature: Nature { .reference }
  var judged: Judged { Judged() }
}
extension Many: PropertyKind {
  static var samples: [Many] { [Many()] }
  static var nature: Nature { .many }
  var judged: Judged { Judged(isNothing: true) }
  static func read(from row: EntityRow) throws -> Many { Many() }
  func append(to values: inout PropertyValues) throws {}
  var stored: Value? { nil }
  static func field<Model>(_ path: any KeyPath<Model, Self> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { SchemaField("value", path, option) }
  static func field<Model>(_ path: any KeyPath<Model, Self?> & Sendable, _ option: FieldOption)
    -> SchemaField<Model>
  { preconditionFailure("a relation to many is not optional") }
}
