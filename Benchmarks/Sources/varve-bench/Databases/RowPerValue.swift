import Foundation

/// The ancestor's layout through the C interface: a row for every value that a property ever had.
///
/// It is that of elegantchaos/Datastore (`Model/Model.xcdatamodeld`): entities with an identifier,
/// a type and a datestamp, and rows of name, value, datestamp, type and owner, which are added and
/// never changed; the newest is current. It keeps full names and types in every row, and the owner
/// by number. Some parts are improved, so that only the layout limits the speed: there is one table
/// instead of one for each kind of value; rows are in the order of owner, key and time, so that
/// present and former values are one range and need no index; each row has an author beside the
/// time, which a merge needs; references contain the target's identifier, so that the target need
/// not exist.
final class RowPerValue {
  let database: RawDatabase
  private let entity: RawStatement
  private let value: RawStatement
  private let update: RawStatement
  private let begin: RawStatement
  private let commit: RawStatement
  private var stamp: Int64 = 0

  /// The one replica there is.
  private static let author: Int64 = 1
  private static let tables = """
    CREATE TABLE IF NOT EXISTS author (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT OR IGNORE INTO author (number, name) VALUES (\(author), 'sam');
    CREATE TABLE IF NOT EXISTS entity (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
      datestamp INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS value (
      entity INTEGER NOT NULL, key TEXT NOT NULL, stamp INTEGER NOT NULL, author INTEGER NOT NULL,
      type TEXT NOT NULL, value, PRIMARY KEY (entity, key, stamp, author)) WITHOUT ROWID;
    """

  init(_ path: String) throws {
    database = try RawDatabase(path)
    try database.execute(Self.tables)
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    entity = try database.prepare("INSERT INTO entity (id, type, datestamp) VALUES (?, ?, ?)")
    value = try database.prepare(
      """
      INSERT INTO value (entity, key, stamp, author, type, value)
      VALUES (?, ?, ?, \(Self.author), ?, ?)
      """
    )
    // The last of several in one transaction counts.
    update = try database.prepare(
      """
      INSERT OR REPLACE INTO value (entity, key, stamp, author, type, value)
      SELECT number, ?, ?, \(Self.author), ?, ? FROM entity WHERE id = ?
      """
    )
  }

  /// Creates an index on the values of a key, as other contestants index a column.
  func addIndex(on key: String) throws {
    try database.execute("CREATE INDEX value_\(key) ON value (value) WHERE key = '\(key)'")
  }

  /// Runs a closure as one transaction, whose values all have one stamp: the time, and always a
  /// later one.
  func transaction(_ body: () throws -> Void) throws {
    stamp = max(stamp + 1, Int64(Date().timeIntervalSince1970 * 1_000_000))
    try run(begin)
    try body()
    try run(commit)
  }

  func insert(_ items: [Item]) throws {
    try transaction { for item in items { try insert(item) } }
  }

  func insert(_ item: Item) throws {
    let number = try insert(entity: item.textID, type: "Item")
    try set(number, "name", item.name)
    try set(number, "city", item.city)
    try set(number, "note", item.note)
    value.bind(5, Int64(item.count))
    try set(number, "count", type: "integer")
    value.bind(5, item.price)
    try set(number, "price", type: "double")
    value.bind(5, item.isActive ? 1 : 0 as Int64)
    try set(number, "isActive", type: "boolean")
    value.bind(5, item.created.timeIntervalSinceReferenceDate)
    try set(number, "created", type: "date")
    try set(number, "supplier", item.textSupplier, type: "entity")
  }

  /// Adds an entity within a transaction. Returns its number.
  func insert(entity id: String, type: String) throws -> Int64 {
    entity.bind(1, id)
    entity.bind(2, type)
    entity.bind(3, stamp)
    try run(entity)
    return database.lastRow
  }

  func set(_ entity: Int64, _ key: String, _ text: String, type: String = "string") throws {
    value.bind(5, text)
    try set(entity, key, type: type)
  }

  func set(_ entity: Int64, _ key: String, _ number: Int64) throws {
    value.bind(5, number)
    try set(entity, key, type: "integer")
  }

  /// Adds the value that is bound.
  private func set(_ entity: Int64, _ key: String, type: String) throws {
    value.bind(1, entity)
    value.bind(2, key)
    value.bind(3, stamp)
    value.bind(4, type)
    try run(value)
  }

  /// Adds a value to an entity by its identifier, within a transaction.
  func add(_ key: String, _ number: Int64, to id: String) throws {
    update.bind(4, number)
    try add(key, type: "integer", to: id)
  }

  func add(_ key: String, _ number: Double, to id: String) throws {
    update.bind(4, number)
    try add(key, type: "double", to: id)
  }

  private func add(_ key: String, type: String, to id: String) throws {
    update.bind(1, key)
    update.bind(2, stamp)
    update.bind(3, type)
    update.bind(5, id)
    try run(update)
  }

  private func run(_ statement: RawStatement) throws {
    _ = try statement.step()
    statement.reset()
  }
}
