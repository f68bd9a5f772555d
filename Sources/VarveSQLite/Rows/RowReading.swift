import Foundation
import VarveCore

/// Reads rows of a table, or of a union of tables, into entities by position.
struct RowReader {
  let layout: TableLayout
  let shape: EntityShape
  /// For each key of the shape, the position of its column, or -1.
  private let positions: [Int32]
  /// The columns to select, in the order in which they are read.
  let columns: [String]
  /// The types by number, if the rows have their type in a column after the others.
  private let types: [Int64: EntityType]?

  init(_ source: TableSource, shape: EntityShape, types: [Int64: EntityType]? = nil) {
    layout = source.layout
    self.shape = shape
    self.types = types
    var columns = ["id", "datestamp", "modified", "more"].map { "\(source.alias).\($0)" }
    var positions: [Int32] = []
    for column in layout.columns {
      if let name = column.column {
        positions.append(Int32(columns.count))
        columns.append("\(source.alias).\(name.quotedIdentifier)")
      } else {
        positions.append(-1)
      }
    }
    if types != nil { columns.append("\(source.alias).varve_type") }
    self.columns = columns
    self.positions = positions
  }

  /// Returns the entity of the statement's current row.
  func entity(
    _ statement: Statement,
    id known: EntityID? = nil,
    row: Int64? = nil
  ) throws -> StoredEntity {
    let datestamp = HybridTime(rawValue: statement.int(1))
    let modified = statement.isNull(2) ? datestamp : HybridTime(rawValue: statement.int(2))
    var values: [Value?] = []
    values.reserveCapacity(positions.count)
    for (index, position) in positions.enumerated() {
      guard position >= 0 else {
        values.append(nil)
        continue
      }
      values.append(try statement.value(position, layout.columns[index].kind))
    }
    let others = statement.isNull(3) ? [:] : try others(statement, &values)
    return StoredEntity(
      id: try known ?? statement.id(0),
      type: type(statement),
      datestamp: datestamp,
      modified: modified,
      shape: shape,
      values: values,
      others: others,
      number: row
    )
  }

  /// Returns the next rows, up to a number.
  func page(_ statement: Statement, size: Int) throws -> [StoredEntity] {
    var page: [StoredEntity] = []
    while page.count < size, try statement.step() { page.append(try entity(statement)) }
    return page
  }

  private func type(_ statement: Statement) -> EntityType {
    guard let types else { return layout.type }
    return types[statement.int(Int32(columns.count - 1))] ?? layout.type
  }

  /// Returns the properties in the overflow column, and the semantic types that it changes.
  private func others(
    _ statement: Statement,
    _ values: inout [Value?]
  ) throws -> [PropertyKey: StoredEntity.Property] {
    let overflow = try Overflow(statement.bytes(3))
    var others: [PropertyKey: StoredEntity.Property] = [:]
    for (index, column) in layout.columns.enumerated() {
      guard let entry = overflow.entries[column.keyNumber], !entry.isCollection else { continue }
      guard let value = entry.value ?? values[index] else { continue }
      others[column.key] = StoredEntity.Property(value, semanticType: entry.semanticType)
    }
    return others
  }
}

extension Session {
  /// Returns the reader of a type's rows.
  func rowReader(_ layout: TableLayout) throws -> RowReader {
    if let reader = plans.rows[layout.typeNumber], reader.version == catalogue.version {
      return reader.reader
    }
    let reader = RowReader(TableSource(layout), shape: catalogue.shape(ofType: layout.typeNumber))
    let sql = """
      SELECT \(reader.columns.joined(separator: ", ")) FROM \(layout.table.quotedIdentifier) AS t \
      WHERE t.row = ?
      """
    plans.rows[layout.typeNumber] = (catalogue.version, reader, try connection.ownStatement(sql))
    return reader
  }

  /// Returns a live entity of the present, or nil.
  func entity(_ id: EntityID) throws -> StoredEntity? {
    let identity = try identity(id)
    if !isWriting {
      try refresh()
      try requirePresent()
    } else {
      try writeBufferedRow()
    }
    guard let identity, identity.isLive, let row = identity.row, let number = identity.type else {
      return nil
    }
    guard let layout = catalogue.layouts[number] else {
      throw connection.damaged("the type of entity \(id) is missing in the catalogue")
    }
    return try entity(id, row: row, layout)
  }

  /// Returns the entity of a present row.
  func entity(_ id: EntityID, row: Int64, _ layout: TableLayout) throws -> StoredEntity? {
    let reader = try rowReader(layout)
    guard let statement = plans.rows[layout.typeNumber]?.byRow else { return nil }
    statement.bind(1, row)
    defer { statement.reset() }
    guard try statement.step() else { throw connection.damaged("entity \(id) has no row") }
    return try reader.entity(statement, id: id, row: row)
  }
}
