import Foundation
import GRDBSQLite
import VarveCore
import VarveSQL

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
      if let values = likening.values, let row = try comparison?.row(likening, values) {
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
  func row(_ likening: Likening, _ values: [Value?]) throws -> Int64? {
    guard let statement else { return nil }
    statement.reserve(0)
    statement.bind(1, likening.id)
    defer { statement.reset() }
    guard try statement.step(), statement.isNull(Self.more) else { return nil }
    for index in values.indices {
      guard let value = values[index] else { continue }
      guard let place = places[index], statement.holds(value, place.position, place.kind) else {
        return nil
      }
    }
    for index in likening.missing {
      if let place = places[index], !statement.isNull(place.position) { return nil }
    }
    return statement.int(Self.row)
  }
}

extension Statement {
  /// Returns whether a column certainly has a value.
  @inline(__always)
  fileprivate func holds(_ value: Value, _ position: Int32, _ kind: Value.Kind) -> Bool {
    switch (value, kind) {
    case (.string(let text), .string):
      return type(position) == SQLITE_TEXT && holds(text, position)
    case (.int(let number), .int), (.int(let number), .double):
      return type(position) == SQLITE_INTEGER && int(position) == number
    case (.double(let number), .int), (.double(let number), .double):
      return type(position) == SQLITE_FLOAT && double(position).bitPattern == number.bitPattern
    case (.bool(let flag), .bool):
      return type(position) == SQLITE_INTEGER && (int(position) != 0) == flag
    case (.date(let date), .date):
      let seconds = date.timeIntervalSinceReferenceDate
      return type(position) == SQLITE_FLOAT && double(position).bitPattern == seconds.bitPattern
    case (.reference(let id), .reference):
      return type(position) != SQLITE_NULL && (try? self.id(position)) == id
    default: return false
    }
  }

  @inline(__always)
  private func holds(_ text: String, _ position: Int32) -> Bool {
    var text = text
    return text.withUTF8 { isText(position, $0) }
  }
}
