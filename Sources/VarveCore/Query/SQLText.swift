/// A query as SQL that any tool can run on the store.
public struct SQLText: Hashable, Sendable {
  /// The statement.
  public let sql: String
  /// The values of its placeholders, in order.
  public let parameters: [Value]

  package init(_ sql: String, _ parameters: [Value] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}

extension SQLText: CustomStringConvertible {
  /// The statement and its parameters.
  public var description: String {
    parameters.isEmpty ? sql : "\(sql) \(parameters.map(\.description))"
  }
}
