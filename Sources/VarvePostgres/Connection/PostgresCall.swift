/// A statement with its parameters.
struct PostgresCall: Sendable {
  let sql: String
  let values: [PostgresValue]

  init(_ sql: String, _ values: [PostgresValue] = []) {
    self.sql = sql
    self.values = values
  }
}
