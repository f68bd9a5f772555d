/// Statements so frequent that finding them by their text would cost as much as running them.
enum HotStatement: Int, CaseIterable {
  case begin
  case commit
  case findIdentity
  case addIdentity
  case addTouch
  case catalogueVersion

  var sql: String {
    switch self {
    case .begin: "BEGIN"
    case .commit: "COMMIT"
    case .findIdentity: "SELECT row, type, life, born FROM varve_identity WHERE id = ?"
    case .addIdentity:
      """
      INSERT INTO varve_identity (id, row, type, life, born) VALUES (?, ?, ?, 1, ?)
      ON CONFLICT DO NOTHING
      """
    case .addTouch:
      "INSERT OR IGNORE INTO varve_touch (row, key, time, b, ordinal) VALUES (?, ?, ?, ?, ?)"
    case .catalogueVersion: "SELECT value FROM varve_meta WHERE key = 'catalogue'"
    }
  }
}
