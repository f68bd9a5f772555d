package import VarveCore
import VarveStore

/// `sql`: returns the rows of an SQL statement that reads, each as an object of its columns.
struct SQLOperation: ReadingOperation {
  static let name = "sql"
  private let sql: String
  private let values: [Value]

  init(_ fields: inout Fields) throws {
    sql = try fields.need("sql").string()
    values =
      try fields.take("values")?.elements().map { try $0.convert { try Value(json: $0) } } ?? []
  }

  func read(_ state: any Reading) async throws -> JSON {
    try SQLRow.json(try await state.rows(sql: sql, values))
  }
}

extension SQLRow {
  /// Returns rows of one statement as objects of their columns; NULL is null.
  ///
  /// - Throws: `VarveError`: `invalidQuery` if two columns have the same name.
  package static func json(_ rows: [SQLRow]) throws -> JSON {
    let names = rows.first?.columns ?? []
    for (place, name) in names.enumerated() where names[..<place].contains(name) {
      throw VarveError(
        .invalidQuery,
        "two columns are named \"\(name)\", and an object has one value for a name",
        at: "column \(place + 1)",
        remedy: "Name one of them differently with AS."
      )
    }
    return .array(
      rows.map { row in
        .object(zip(names, row.values).map { JSON.Member(name: $0, value: $1?.json ?? .null) })
      }
    )
  }
}
