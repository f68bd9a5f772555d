import Foundation
import SQLiteLibrary
import VarveCore

/// Compares rows with values in place, so that an import that changes nothing copies no text.
extension Session {
  func likenesses(_ likenings: [Likening]) throws -> [Likeness] {
    try writeBufferedRow()
    var answers: [Likeness] = []
    answers.reserveCapacity(likenings.count)
    var comparison: RowComparison?
    var start = 0
    while start < likenings.count {
      let keys = likenings[start].keys
      var end = start + 1
      while end < likenings.count, end - start < RowComparison.manyCount,
        likenings[end].keys === keys
      { end += 1 }
      if comparison?.keys !== keys { comparison = try RowComparison(keys, in: self) }
      let numbers = try comparison?.numbers(likenings[start..<end]) ?? []
      for (index, number) in zip(start..<end, numbers) {
        answers.append(try number.map { .same(number: $0) } ?? likeness(likenings[index]))
      }
      start = end
    }
    return answers
  }

  /// Reads an entity and compares it.
  private func likeness(_ likening: Likening) throws -> Likeness {
    guard let entity = try entity(likening.id) else { return .absent }
    return likening.matches(entity) ? .same(number: entity.number) : .other(entity)
  }
}

/// The places of a comparison's properties in the rows of their type.
private struct RowComparison {
  let keys: Likening.Keys
  private let session: Session
  /// The SQL of the columns and the tables; empty if there is no table.
  private let columns: String
  private let tables: String
  /// The position of each key's column and the column's kind; nil if the key has none.
  private let places: [(position: Int32, kind: Value.Kind)?]

  /// The number of entities that one statement finds. For each, a statement of its own would begin
  /// and end a read, open cursors, and obtain and free the memory of every value.
  static let manyCount = 64
  /// The number of entities from which such a statement pays.
  private static let leastCount = 8

  private static let index: Int32 = 0
  private static let row: Int32 = 1
  private static let more: Int32 = 2

  init(_ keys: Likening.Keys, in session: Session) throws {
    self.keys = keys
    self.session = session
    guard let number = session.catalogue.typeNumbers[keys.type],
      let layout = session.catalogue.layouts[number]
    else {
      (columns, tables, places) = ("", "", [])
      return
    }
    var columns = ["v.column1", "t.row", "t.more"]
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
    self.columns = columns.joined(separator: ", ")
    // The type's table has no rows for entities of other types or dead ones.
    tables = """
      varve_identity AS i ON i.id = v.column2 \
      CROSS JOIN \(layout.table.quotedIdentifier) AS t ON t.row = i.row
      """
  }

  /// Returns the statement that finds a number of entities, in their order.
  private func statement(_ count: Int) throws -> Statement {
    let values = (0..<count).map { "(\($0), ?)" }.joined(separator: ", ")
    return try session.connection.statement(
      "SELECT \(columns) FROM (VALUES \(values)) AS v CROSS JOIN \(tables)"
    )
  }

  /// Returns the number of the row of each entity if the row certainly has the values, or nil if
  /// that is not certain.
  func numbers(_ likenings: ArraySlice<Likening>) throws -> [Int64?] {
    var numbers = [Int64?](repeating: nil, count: likenings.count)
    guard !tables.isEmpty else { return numbers }
    let step = likenings.count < Self.leastCount ? 1 : Self.manyCount
    let statement = try statement(step)
    for start in stride(from: 0, to: likenings.count, by: step) {
      let first = likenings.startIndex + start
      let part = likenings[first..<min(first + step, likenings.endIndex)]
      bind(part, step, to: statement)
      defer { statement.reset() }
      while try statement.step() {
        let index = Int(statement.int(Self.index))
        if isSame(statement, part[first + index]) {
          numbers[start + index] = statement.int(Self.row)
        }
      }
    }
    return numbers
  }

  /// Binds the identifiers, and null to what remains of a number of placeholders.
  private func bind(_ likenings: ArraySlice<Likening>, _ count: Int, to statement: Statement) {
    statement.reserve(likenings.reduce(0) { $0 + $1.id.boundByteCount })
    var position: Int32 = 1
    for likening in likenings {
      if likening.row == nil {
        statement.bindNull(position)
      } else {
        statement.bind(position, likening.id)
      }
      position += 1
    }
    while position <= count {
      statement.bindNull(position)
      position += 1
    }
  }

  /// Returns whether the row that a statement is at certainly has the values.
  private func isSame(_ statement: Statement, _ likening: Likening) -> Bool {
    guard statement.isNull(Self.more), let (rows, first) = likening.row else { return false }
    let isSame = rows.values.withStorage { slots, bytes in
      for index in places.indices {
        let slot = slots[first + index]
        if case .nothing = slot.form { continue }
        guard let place = places[index],
          statement.holds(slot, in: bytes, place.position, place.kind)
        else { return false }
      }
      return true
    }
    guard isSame else { return false }
    for index in likening.missing {
      if let place = places[index], !statement.isNull(place.position) { return false }
    }
    return true
  }
}

extension EntityID {
  /// The number of bytes that are bound for it.
  fileprivate var boundByteCount: Int {
    switch storage {
    case .uuid: 16
    case .text(let text): text.utf8.count
    }
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
    let column = column(position)
    let type = sqlite3_value_type(column)
    switch (slot.form, kind) {
    case (.string, .string):
      return type == SQLITE_TEXT && isText(column, slot.content(in: bytes))
    case (.int, .int), (.int, .double):
      return type == SQLITE_INTEGER && sqlite3_value_int64(column) == slot.int
    case (.double, .int), (.double, .double), (.date, .date):
      return type == SQLITE_FLOAT && sqlite3_value_double(column).bitPattern == slot.bits
    case (.bool, .bool):
      return type == SQLITE_INTEGER && (sqlite3_value_int64(column) != 0) == (slot.bits != 0)
    case (.uuid, .reference), (.name, .reference):
      guard type != SQLITE_NULL, let id = try? id(position) else { return false }
      return slot.refers(to: id, in: bytes)
    default: return false
    }
  }
}
