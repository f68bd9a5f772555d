/// Statements so frequent that looking them up by text would cost as much as running them.
enum HotStatement: Int, CaseIterable {
  case begin
  case beginWriting
  case commit
  case findIdentity
  case addIdentity
  case addIdentities
  case addTouch
  case addTouches
  case catalogueVersion
  case findTouches
  case findCommit
  case findBlock
  case addCommit

  var sql: String {
    switch self {
    case .begin: "BEGIN"
    case .beginWriting: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .findIdentity: "SELECT row, type, life, born FROM varve_identity WHERE id = ?"
    case .addIdentity:
      """
      INSERT INTO varve_identity (id, row, type, life, born) VALUES (?, ?, ?, 1, ?)
      ON CONFLICT DO NOTHING
      """
    case .addIdentities:
      // A failure ends the transaction. With ABORT, the default, SQLite would copy each page that the
      // statement changes, to be able to undo some of its rows.
      """
      INSERT OR FAIL INTO varve_identity (id, row, type, life, born) \
      VALUES \(Self.identities(InsertionPlan.groupCount)) ON CONFLICT DO NOTHING
      """
    case .addTouch:
      "INSERT OR IGNORE INTO varve_touch (row, key, time, b, ordinal) VALUES (?, ?, ?, ?, ?)"
    case .addTouches:
      """
      INSERT OR IGNORE INTO varve_touch (row, key, time, b, ordinal) \
      VALUES \(Self.rows("(?, ?, ?, ?, ?)", RecentTouches.groupCount))
      """
    case .catalogueVersion: "SELECT value FROM varve_meta WHERE key = 'catalogue'"
    case .findTouches:
      """
      SELECT time, b, ordinal FROM varve_touch WHERE row = ? AND key = ? AND time <= ?
      ORDER BY time DESC, b DESC, ordinal DESC
      """
    case .findCommit:
      """
      SELECT n, lineage, header, checksum FROM varve_commit WHERE n <= ? ORDER BY n DESC LIMIT 1
      """
    case .findBlock: "SELECT salt, payload FROM varve_block WHERE b = ?"
    case .addCommit:
      """
      INSERT INTO varve_commit
        (n, lineage, sequence, time, checksum, next_row, header, salt, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    }
  }

  /// Returns the values clause of identities that share their type and block, which are the first
  /// parameters.
  private static func identities(_ count: Int) -> String {
    (0..<count).map { "(?\($0 * 2 + 3), ?\($0 * 2 + 4), ?1, 1, ?2)" }.joined(separator: ", ")
  }

  /// Returns the values clause of a statement that inserts several rows.
  private static func rows(_ row: String, _ count: Int) -> String {
    repeatElement(row, count: count).joined(separator: ", ")
  }
}
