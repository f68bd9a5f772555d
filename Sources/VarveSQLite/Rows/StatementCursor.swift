import Foundation
import GRDBSQLite
import VarveCore
import VarveSQL

/// The place of a model's property in the columns of a statement.
struct FieldPlan {
  /// The position of its column, or -1.
  var position: Int32
  /// The kind of the column's values.
  var kind: Value.Kind
  /// Whether the value may be elsewhere: in the overflow column, or under an older name.
  var isIndirect: Bool
}

/// The plan for reading a model's properties from the rows of a table.
struct ShapePlan {
  let shape: RowShape
  /// The type whose table the plan is for.
  let typeNumber: Int64
  let fields: [FieldPlan]
  /// The columns to select, in the order in which they are read.
  let columns: [String]
  /// The position of the overflow column, or -1 if it is not needed.
  let morePosition: Int32
  /// The position of the type's number, or -1 if all rows have one type.
  let typePosition: Int32
  /// All places of each property, its newest name first; empty if the column has every value.
  let places: [[Place]]

  /// A place where a property may be stored.
  struct Place {
    let position: Int32
    let kind: Value.Kind
    let keyNumber: Int64
  }

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - shape: the model's properties.
  ///   - source: the table.
  ///   - hasTypes: whether rows have a column with their type.
  init(_ shape: RowShape, _ source: TableSource, hasTypes: Bool = false) {
    self.shape = shape
    typeNumber = source.layout.typeNumber
    var columns = ["\(source.alias).id"]
    var fields: [FieldPlan] = []
    var places: [[Place]] = []
    var readsMore = false
    for column in shape.columns {
      var own: [Place] = []
      var spills = false
      for layout in ([column.key] + column.older).compactMap(source.layout.column) {
        var position: Int32 = -1
        if let name = layout.column {
          position = Int32(columns.count)
          columns.append("\(source.alias).\(name.quotedIdentifier)")
        }
        if layout.isSpilled || layout.column == nil { (readsMore, spills) = (true, true) }
        own.append(Place(position: position, kind: layout.kind, keyNumber: layout.keyNumber))
      }
      let first = own.first
      let isIndirect = own.count > 1 || spills
      fields.append(
        FieldPlan(
          position: first?.position ?? -1,
          kind: first?.kind ?? .string,
          isIndirect: isIndirect
        )
      )
      places.append(isIndirect ? own : [])
    }
    morePosition = readsMore ? Int32(columns.count) : -1
    if readsMore { columns.append("\(source.alias).more") }
    typePosition = hasTypes ? Int32(columns.count) : -1
    if hasTypes { columns.append("\(source.alias).varve_type") }
    self.fields = fields
    self.places = places
    self.columns = columns
  }
}

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
