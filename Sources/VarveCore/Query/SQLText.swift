/// A query as SQL that any tool can run on the store.
public struct SQLText: Hashable, Sendable {
  /// The statement.
  public let sql: String
  /// What its placeholders stand for, in order.
  public let parameters: [Value]

  package init(_ sql: String, _ parameters: [Value] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}

extension SQLText: CustomStringConvertible {
  /// The statement, and what is bound.
  public var description: String {
    parameters.isEmpty ? sql : "\(sql) \(parameters.map(\.description))"
  }
}
