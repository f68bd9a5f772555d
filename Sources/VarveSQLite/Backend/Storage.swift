import Foundation
package import VarveCore

extension SQLiteBackend {
  package func storage() async throws -> StorageSizes { try await storage(by: nil) }

  /// Returns the size of the store and its tables.
  ///
  /// - Parameter measure: how tables are measured; nil for pages if SQLite can count them by table
  ///   (its `dbstat`), otherwise for payload.
  /// - Complexity: O(pages), or O(rows).
  package func storage(by measure: StorageSizes.Measure?) async throws -> StorageSizes {
    let path: String? =
      if case .file(let path) = location { StoreFile.resolved(path) } else { nil }
    return try await inspecting { session in
      let measure = try measure ?? (session.connection.countsPages ? .pages : .payload)
      let sizes =
        try measure == .pages
        ? session.connection.pageBytesByTable() : session.connection.payloadBytesByTable()
      return StorageSizes(
        measure: measure,
        tables: sizes.map { name, byteCount in
          StorageSizes.Table(
            name: name,
            byteCount: byteCount,
            isLog: Schema.logTables.contains(name)
          )
        },
        fileByteCount: path.map(Self.byteCount) ?? 0,
        writeAheadByteCount: path.map { Self.byteCount(of: $0 + "-wal") } ?? 0
      )
    }
  }

  private static func byteCount(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int ?? 0
  }
}

extension Connection {
  /// Whether SQLite was built to count pages by table.
  fileprivate var countsPages: Bool {
    get throws { try integer("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')") == 1 }
  }

  /// Returns the bytes of the pages of each table with its indexes.
  fileprivate func pageBytesByTable() throws -> [(String, Int)] {
    let statement = try ownStatement(
      """
      SELECT coalesce(m.tbl_name, s.name), sum(s.pgsize)
      FROM dbstat AS s LEFT JOIN sqlite_master AS m ON m.name = s.name
      WHERE s.aggregate = TRUE GROUP BY 1
      """
    )
    var sizes: [(String, Int)] = []
    while try statement.step() { sizes.append((statement.text(0), Int(statement.int(1)))) }
    return sizes
  }

  /// Returns the bytes of the values in each table: the lengths of texts and blobs, and eight for
  /// each number.
  fileprivate func payloadBytesByTable() throws -> [(String, Int)] {
    let names = try ownStatement("SELECT name FROM sqlite_master WHERE type = 'table'")
    var sizes: [(String, Int)] = []
    while try names.step() {
      let name = names.text(0)
      let terms = try columns(of: name).map { column in
        let column = column.quotedIdentifier
        return """
          CASE typeof(\(column)) WHEN 'null' THEN 0 WHEN 'integer' THEN 8 WHEN 'real' THEN 8 \
          ELSE length(CAST(\(column) AS BLOB)) END
          """
      }
      let sum = terms.isEmpty ? "0" : terms.joined(separator: " + ")
      let bytes = try integer("SELECT sum(\(sum)) FROM \(name.quotedIdentifier)")
      sizes.append((name, Int(bytes ?? 0)))
    }
    return sizes
  }

  private func columns(of table: String) throws -> [String] {
    let statement = try ownStatement("SELECT name FROM pragma_table_info(?)")
    statement.reserve(table.utf8.count)
    statement.bind(1, text: table)
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }
}
