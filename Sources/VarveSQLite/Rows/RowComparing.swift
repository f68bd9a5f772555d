import Foundation
import GRDBSQLite
import VarveCore

/// Compares rows with values in place, so that an import that changes nothing copies no text.
extension Session {
  func likenesses(_ likenings: [Likening]) throws -> [Likeness] {
    try writeBufferedRow()
    var answers: [Likeness] = []
    answers.reserveCapacity(likenings.count)
    var comparison: RowComparison?
    for likening in likenings {
      if comparison?.keys !== likening.keys {
        comparison = try RowComparison(likening.keys, in: self)
      }
      if let (rows, first) = likening.row,
        let row = try comparison?.row(likening, rows.values, first)
      {
        answers.append(.same(number: row))
      } else if let entity = try entity(likening.id) {
        let isSame = likening.matches(entity)
        answers.append(isSame ? .same(number: entity.number) : .other(entity))
      } else {
        answers.append(.absent)
      }
    }
    return answers
  }
}

/// The places of a comparison's properties in the rows of their type.
private struct RowComparison {
  let keys: Likening.Keys
  private let statement: Statement?
  /// The position of each key's column and the column's kind; nil if the key has none.
  private let places: [(position: Int32, kind: Value.Kind)?]

  private static let row: Int32 = 0
  private static let more: Int32 = 1

  init(_ keys: Likening.Keys, in session: Session) throws {
    self.keys = keys
    guard let number = session.catalogue.typeNumbers[keys.type],
      let layout = session.catalogue.layouts[number]
    else {
      (statement, places) = (nil, [])
      return
    }
    var columns = ["t.row", "t.more"]
    var places: [(position: Int32, kind: Value.Kind)?] = []
    for key in keys.keys {
      if let column = layout.column(key), let name = column.column {
        places.append((Int32(columns.count), column.kind))
        columns.append("t." + name.quotedIdentifier)
      } else {
        places.append(nil)
      }
    }
    self.places = places
    // This table has no rows for entities of other types or dead ones.
    statement = try session.connection.statement(
      """
      SELECT \(columns.joined(separator: ", ")) FROM varve_identity AS i \
      CROSS JOIN \(layout.table.quotedIdentifier) AS t ON t.row = i.row WHERE i.id = ?
      """
    )
  }

  /// Returns the number of the row if it certainly has the values, or nil if that is not certain.
  func row(_ likening: Likening, _ values: PackedValues, _ first: Int) throws -> Int64? {
    guard let statement else { return nil }
    statement.reserve(0)
    statement.bind(1, likening.id)
    defer { statement.reset() }
    guard try statement.step(), statement.isNull(Self.more) else { return nil }
    let isSame = values.withStorage { slots, bytes in
      places.indices.allSatisfy { index in
        let slot = slots[first + index]
        guard slot.form != .nothing else { return true }
        guard let place = places[index] else { return false }
        return statement.holds(slot, in: bytes, place.position, place.kind)
      }
    }
    guard isSame else { return nil }
    for index in likening.missing {
      if let place = places[index], !statement.isNull(place.position) { return nil }
    }
    return statement.int(Self.row)
  }
}

extension Statement {
  /// Returns whether a column certainly has a value.
  @inline(__always)
  fileprivate func holds(
    _ slot: PackedValues.Slot,
    in bytes: UnsafeRawBufferPointer,
    _ position: Int32,
    _ kind: Value.Kind
  ) -> Bool {
    switch (slot.form, kind) {
    case (.string, .string):
      return type(position) == SQLITE_TEXT && holds(slot.content(in: bytes), position)
    case (.int, .int), (.int, .double):
      return type(position) == SQLITE_INTEGER && int(position) == slot.int
    case (.double, .int), (.double, .double), (.date, .date):
      return type(position) == SQLITE_FLOAT && double(position).bitPattern == slot.bits
    case (.bool, .bool):
      return type(position) == SQLITE_INTEGER && (int(position) != 0) == (slot.bits != 0)
    case (.uuid, .reference), (.name, .reference):
      guard type(position) != SQLITE_NULL, let id = try? id(position) else { return false }
      return slot.refers(to: id, in: bytes)
    default: return false
    }
  }

  @inline(__always)
  private func holds(_ text: UnsafeRawBufferPointer, _ position: Int32) -> Bool {
    text.withMemoryRebound(to: UInt8.self) { isText(position, $0) }
  }
}
