import VarveCore

/// Checks the SQLite storage classes in Varve's own tables. A value of another storage class may
/// read the same but compare or sort differently.
extension Checker {
  /// The tables that are not compared byte for byte with the replayed ones, and the allowed storage
  /// classes of their columns.
  private static let classes: [(table: String, columns: [(name: String, classes: Set<String>)])] = [
    ("varve_meta", [("key", ["text"]), ("value", ["integer"])]),
    (
      "varve_commit",
      [
        ("lineage", ["integer"]), ("sequence", ["integer"]), ("time", ["integer"]),
        ("checksum", ["integer"]), ("next_row", ["integer"]), ("header", ["blob"]),
        ("salt", ["blob", "null"]), ("payload", ["blob", "null"]),
      ]
    ),
    ("varve_block", [("salt", ["blob"]), ("digest", ["blob"]), ("payload", ["blob"])]),
    ("varve_withheld", [("time", ["integer"])]),
    (
      "varve_lineage",
      [("replica", ["blob"]), ("parent", ["integer", "null"]), ("fork_sequence", ["integer"])]
    ),
    ("varve_awaited", [("is_outline", ["integer"])]),
    ("varve_outline", [("field", ["blob"])]),
    ("varve_arrival", [("n", ["integer"])]),
    ("varve_handover", [("subject", ["text"])]),
    ("varve_type", [("name", ["text"]), ("table_name", ["text"]), ("in_order", ["integer"])]),
    ("varve_key", [("name", ["text"])]),
    (
      "varve_column",
      [
        ("type", ["integer"]), ("key", ["integer"]), ("column_name", ["text", "null"]),
        ("kind", ["integer"]), ("semantic_type", ["text"]), ("spilled", ["integer"]),
      ]
    ),
    (
      "varve_identity",
      [
        ("id", ["text", "blob"]), ("row", ["integer", "null"]), ("type", ["integer", "null"]),
        ("life", ["integer"]), ("born", ["integer", "null"]),
      ]
    ),
    (
      "varve_touch",
      ["row", "key", "time", "b", "ordinal"].map { ($0, ["integer"]) }
    ),
    ("varve_recent_touch", [("count", ["integer"]), ("touches", ["blob"])]),
    ("varve_conflict", [("id", ["text", "blob"]), ("key", ["integer"])]),
    ("varve_unseen_death", [("id", ["text", "blob"])]),
    ("varve_index", [("type_name", ["text"]), ("key_name", ["text"])]),
    ("varve_joint_index", [("type_name", ["text"]), ("key_names", ["blob"])]),
    ("varve_search", [("type_name", ["text"]), ("key_name", ["text"])]),
  ]

  func checkStorageClasses() throws {
    for (table, columns) in Self.classes where try session.connection.hasTable(table) {
      let tests = columns.map { name, classes in
        let list = classes.sorted().map { "'\($0)'" }.joined(separator: ", ")
        return "typeof(\(name)) NOT IN (\(list))"
      }
      let sql = "SELECT count(*) FROM \(table) WHERE \(tests.joined(separator: " OR "))"
      let count = try session.connection.integer(sql) ?? 0
      if count > 0 { find("\(count) rows of \(table) have a value of a wrong storage class") }
    }
  }
}
