import Foundation
import SQLiteLibrary
import VarveCore

/// Reads a statement's rows by position, directly from SQLite.
final class StatementCursor: RowCursor {
  var shape: RowShape { plan.shape }
  private let statement: Statement
  private let plan: ShapePlan
  private let fields: [FieldPlan]
  private let rowType: EntityType
  private let types: [Int64: EntityType]
  /// The identifier of the only row, if it is known.
  var known: EntityID?

  init(
    _ statement: Statement,
    _ plan: ShapePlan,
    type: EntityType,
    types: [Int64: EntityType] = [:]
  ) {
    self.statement = statement
    self.plan = plan
    fields = plan.fields
    rowType = type
    self.types = types
  }

  func advance() throws -> Bool { try statement.step() }

  /// Resets the statement for other uses.
  func end() { statement.reset() }

  func id() throws -> EntityID { try known ?? statement.id(0) }

  func type() -> EntityType {
    guard plan.typePosition >= 0 else { return rowType }
    return types[statement.int(plan.typePosition)] ?? rowType
  }

  func string(_ position: Int) throws -> String? {
    let field = fields[position]
    guard field.position >= 0, field.kind == .string else { return try stringValue(position) }
    if let text = statement.optionalText(field.position) { return text }
    return field.isIndirect ? try stringValue(position) : nil
  }

  func int(_ position: Int) throws -> Int64? {
    let field = fields[position]
    if field.position >= 0, field.kind == .int || field.kind == .double {
      if let number = statement.optionalInteger(field.position) { return number }
      if !field.isIndirect, statement.isNull(field.position) { return nil }
    }
    return try intValue(position)
  }

  func double(_ position: Int) throws -> Double? {
    let field = fields[position]
    if field.position >= 0, field.kind == .int || field.kind == .double {
      // A number other than zero is present, and a small one is exact even if it is stored as an
      // integer.
      let number = statement.double(field.position)
      if number != 0, number.magnitude < 0x1p53 { return number }
      switch statement.type(field.position) {
      case SQLITE_FLOAT: return number
      case SQLITE_NULL where !field.isIndirect: return nil
      default: break
      }
    }
    return try doubleValue(position)
  }

  func bool(_ position: Int) throws -> Bool? {
    let field = fields[position]
    guard field.position >= 0, field.kind == .bool else { return try boolValue(position) }
    if statement.int(field.position) != 0 { return true }
    return statement.isNull(field.position) ? try boolValue(position) : false
  }

  func date(_ position: Int) throws -> Date? {
    let field = fields[position]
    guard field.position >= 0, field.kind == .date else { return try dateValue(position) }
    let seconds = statement.double(field.position)
    guard seconds != 0 || !statement.isNull(field.position) else { return try dateValue(position) }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  func reference(_ position: Int) throws -> EntityID? {
    let field = fields[position]
    guard field.position >= 0, field.kind == .reference else { return try referenceValue(position) }
    return try statement.optionalID(field.position) ?? referenceValue(position)
  }

  func data(_ position: Int) throws -> Data? { try dataValue(position) }

  func value(_ position: Int) throws -> Value? {
    let field = fields[position]
    if field.position >= 0, let value = try statement.value(field.position, field.kind) {
      return value
    }
    guard field.isIndirect else { return nil }
    for place in plan.places[position] {
      if place.position >= 0, let value = try statement.value(place.position, place.kind) {
        return value
      }
      guard plan.morePosition >= 0, !statement.isNull(plan.morePosition) else { continue }
      let more = statement.bytes(plan.morePosition)
      if let value = try Overflow.entry(in: more, key: place.keyNumber)?.value { return value }
    }
    return nil
  }
}

extension Statement {
  /// Returns a value in the form of a column of its kind, or nil if there is none.
  @inline(__always)
  func value(_ position: Int32, _ kind: Value.Kind) throws -> Value? {
    let type = type(position)
    guard type != SQLITE_NULL else { return nil }
    switch kind {
    case .string: return .string(text(position))
    case .int, .double:
      return type == SQLITE_INTEGER ? .int(int(position)) : .double(double(position))
    case .bool: return .bool(int(position) != 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(position)))
    case .data: return .data(Data(bytes(position)))
    case .reference: return .reference(try id(position))
    case .array, .dictionary: return try Value(encoded: blob(position))
    }
  }
}
