import VarveCore
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
    .array(try await state.rows(sql: sql, values).map(\.json))
  }
}

extension SQLRow {
  /// The row as an object of its columns; NULL is null. Of several columns with one name, the first
  /// counts.
  package var json: JSON {
    var members: [JSON.Member] = []
    for (name, value) in zip(columns, values) where !members.contains(where: { $0.name == name }) {
      members.append(JSON.Member(name: name, value: value?.json ?? .null))
    }
    return .object(members)
  }
}
