import Foundation

/// Queries on the layout with a row per value, which return items.
///
/// The rows of an entity are consecutive and in the order of key and time, so an item is built from
/// a run of rows, in which the last of each key is current. Without an order, the result has that
/// of the innermost loop (`CROSS JOIN` keeps the loops as written), because SQLite would sort rows
/// that are in order already.
final class RowPerValueReading {
  private let byID: RawStatement
  private let all: RawStatement
  private let byCity: RawStatement
  private let versions: RawStatement
  private let database: RawDatabase
  private var byRegion: RawStatement?

  /// A version of a property.
  struct Version {
    let value: Int64
    let stamp: Int64
    let author: String
  }

  init(_ table: RowPerValue) throws {
    database = table.database
    byID = try database.prepare(
      """
      SELECT e.number, e.id, v.key, v.value
      FROM entity AS e CROSS JOIN value AS v ON v.entity = e.number
      WHERE e.id = ? ORDER BY v.key, v.stamp, v.author
      """
    )
    all = try database.prepare(
      """
      SELECT e.number, e.id, v.key, v.value
      FROM entity AS e CROSS JOIN value AS v ON v.entity = e.number
      WHERE e.type = 'Item' ORDER BY e.number, v.key, v.stamp, v.author
      """
    )
    byCity = try database.prepare(
      """
      SELECT e.number, e.id, v.key, v.value
      FROM value AS f CROSS JOIN entity AS e ON e.number = f.entity
        CROSS JOIN value AS v ON v.entity = f.entity
      WHERE f.key = 'city' AND f.value = ? AND \(Self.isCurrent("f")) AND e.type = 'Item'
      """
    )
    versions = try database.prepare(
      """
      SELECT v.value, v.stamp, a.name
      FROM entity AS e CROSS JOIN value AS v ON v.entity = e.number
        CROSS JOIN author AS a ON a.number = v.author
      WHERE e.id = ? AND v.key = ? ORDER BY v.stamp DESC, v.author DESC LIMIT ?
      """
    )
  }

  /// Returns the condition that a row's value has no newer one.
  private static func isCurrent(_ row: String) -> String {
    """
    NOT EXISTS (SELECT 1 FROM value AS n WHERE n.entity = \(row).entity AND n.key = \(row).key
      AND (n.stamp, n.author) > (\(row).stamp, \(row).author))
    """
  }

  func find(_ id: String) throws -> RawItem? {
    byID.bind(1, id)
    return try fetch(byID).first
  }

  func fetchAll() throws -> [RawItem] { try fetch(all) }

  func fetch(city: String) throws -> [RawItem] {
    byCity.bind(1, city)
    return try fetch(byCity)
  }

  /// Items of the suppliers of a region: both keys must be indexed.
  func items(ofRegion region: Int) throws -> [RawItem] {
    let statement =
      try byRegion
      ?? database.prepare(
        """
        SELECT e.number, e.id, v.key, v.value
        FROM value AS r CROSS JOIN entity AS s ON s.number = r.entity
          CROSS JOIN value AS f ON f.key = 'supplier' AND f.value = s.id
          CROSS JOIN entity AS e ON e.number = f.entity
          CROSS JOIN value AS v ON v.entity = e.number
        WHERE r.key = 'region' AND r.value = ? AND \(Self.isCurrent("r")) AND s.type = 'Supplier'
          AND \(Self.isCurrent("f")) AND e.type = 'Item'
        """
      )
    byRegion = statement
    statement.bind(1, Int64(region))
    return try fetch(statement)
  }

  /// Returns the latest values of a property, newest first.
  func history(of id: String, _ key: String, limit: Int) throws -> [Version] {
    versions.bind(1, id)
    versions.bind(2, key)
    versions.bind(3, Int64(limit))
    defer { versions.reset() }
    var found: [Version] = []
    while try versions.step() {
      found.append(
        Version(value: versions.int(0), stamp: versions.int(1), author: versions.text(2))
      )
    }
    return found
  }

  private func fetch(_ rows: RawStatement) throws -> [RawItem] {
    defer { rows.reset() }
    var items: [RawItem] = []
    var number: Int64?
    var item = RawItem.empty
    while try rows.step() {
      if rows.int(0) != number {
        if number != nil { items.append(item) }
        number = rows.int(0)
        item = .empty
        item.id = rows.text(1)
      }
      item.take(rows)
    }
    if number != nil { items.append(item) }
    return items
  }
}

extension RawItem {
  fileprivate static let empty = RawItem(
    id: "",
    name: "",
    city: "",
    note: "",
    count: 0,
    price: 0,
    isActive: false,
    created: .distantPast,
    supplier: ""
  )

  /// Reads the value of a row. Two letters distinguish the keys, which is faster than a store of
  /// arbitrary keys could be.
  fileprivate mutating func take(_ row: RawStatement) {
    switch row.textStart(2) {
    case Self.key("na"): name = row.text(3)
    case Self.key("ci"): city = row.text(3)
    case Self.key("no"): note = row.text(3)
    case Self.key("co"): count = Int(row.int(3))
    case Self.key("pr"): price = row.double(3)
    case Self.key("is"): isActive = row.int(3) != 0
    case Self.key("cr"): created = Date(timeIntervalSinceReferenceDate: row.double(3))
    case Self.key("su"): supplier = row.text(3)
    default: break
    }
  }

  @inline(__always)
  private static func key(_ start: StaticString) -> UInt16 {
    UInt16(start.utf8Start[0]) << 8 | UInt16(start.utf8Start[1])
  }
}
