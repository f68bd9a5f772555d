package import Foundation

/// The rows of a query in order, read by position without intermediate values.
///
/// Valid inside the body it is passed to. A read returns nil if the row has no value at the
/// position, and throws ``FieldMismatch`` if the value cannot be read as the requested kind.
package protocol RowCursor: AnyObject {
  var shape: RowShape { get }
  /// Advances to the next row. Returns false after the last.
  func advance() throws -> Bool
  /// The entity's identifier.
  func id() throws -> EntityID
  /// The entity's type.
  func type() -> EntityType
  /// Reads a value as it is.
  func value(_ position: Int) throws -> Value?
  /// Reads a text.
  func string(_ position: Int) throws -> String?
  /// Reads an integer.
  func int(_ position: Int) throws -> Int64?
  /// Reads a number, including an integer that a double represents exactly.
  func double(_ position: Int) throws -> Double?
  /// Reads a truth value, including the integers 0 and 1.
  func bool(_ position: Int) throws -> Bool?
  /// Reads a date, including a text in ISO 8601.
  func date(_ position: Int) throws -> Date?
  /// Reads bytes.
  func data(_ position: Int) throws -> Data?
  /// Reads a reference, including a text that is an identifier.
  func reference(_ position: Int) throws -> EntityID?
}

/// Default implementations that read the value first.
extension RowCursor {
  package func stringValue(_ position: Int) throws -> String? {
    try read(position, "string", \.stringValue)
  }

  package func intValue(_ position: Int) throws -> Int64? {
    try read(position, "integer", \.intValue)
  }

  package func doubleValue(_ position: Int) throws -> Double? {
    try read(position, "double") { value in
      switch value {
      case .double(let number): number
      case .int(let number) where Int64(exactly: Double(number)) == number: Double(number)
      default: nil
      }
    }
  }

  package func boolValue(_ position: Int) throws -> Bool? {
    try read(position, "boolean") { value in
      switch value {
      case .bool(let truth): truth
      case .int(0): false
      case .int(1): true
      default: nil
      }
    }
  }

  package func dateValue(_ position: Int) throws -> Date? {
    try read(position, "date") { value in
      value.dateValue ?? value.stringValue.flatMap(ISO8601Text.date)
    }
  }

  package func dataValue(_ position: Int) throws -> Data? {
    try read(position, "data", \.dataValue)
  }

  package func referenceValue(_ position: Int) throws -> EntityID? {
    try read(position, "entity") { value in
      value.referenceValue ?? value.stringValue.flatMap { try? EntityID($0) }
    }
  }

  private func read<Result>(
    _ position: Int,
    _ wanted: String,
    _ take: (Value) -> Result?
  ) throws -> Result? {
    guard let value = try value(position) else { return nil }
    if let result = take(value) ?? converted(position, value).flatMap(take) { return result }
    throw mismatch(position, value, wanted)
  }

  /// Returns the model's conversion of a value of another kind, if it has one.
  package func converted(_ position: Int, _ value: Value) -> Value? {
    shape.columns[position].convert?(value)
  }

  /// Returns the error for a value of another kind.
  package func mismatch(_ position: Int, _ value: Value, _ wanted: String) -> FieldMismatch {
    FieldMismatch(key: shape.columns[position].key, actual: value.kind.name, wanted: wanted)
  }
}

/// A cursor over entities.
package final class EntityCursor: RowCursor {
  package let shape: RowShape
  private let entities: [StoredEntity]
  private var next = 0

  /// Creates a cursor that is before the first entity.
  package init(_ shape: RowShape, _ entities: [StoredEntity] = []) {
    self.shape = shape
    self.entities = entities
  }

  package func advance() throws -> Bool {
    guard next < entities.count else { return false }
    next += 1
    return true
  }

  private var entity: StoredEntity { entities[next - 1] }

  package func id() throws -> EntityID { entity.id }
  package func type() -> EntityType { entity.type }
  package func value(_ position: Int) throws -> Value? {
    entity.value(of: shape.columns[position].field)
  }
  package func string(_ position: Int) throws -> String? { try stringValue(position) }
  package func int(_ position: Int) throws -> Int64? { try intValue(position) }
  package func double(_ position: Int) throws -> Double? { try doubleValue(position) }
  package func bool(_ position: Int) throws -> Bool? { try boolValue(position) }
  package func date(_ position: Int) throws -> Date? { try dateValue(position) }
  package func data(_ position: Int) throws -> Data? { try dataValue(position) }
  package func reference(_ position: Int) throws -> EntityID? { try referenceValue(position) }
}

/// A value of another kind than the one asked for.
package struct FieldMismatch: Error, Sendable {
  package var key: PropertyKey
  package var actual: String
  package var wanted: String

  package init(key: PropertyKey, actual: String, wanted: String) {
    self.key = key
    self.actual = actual
    self.wanted = wanted
  }
}
