/// What an export of tables wrote.
public struct TableExport: Hashable, Sendable {
  /// The number of entities.
  public internal(set) var entityCount = 0
  /// The number of relations and elements of to-many properties.
  public internal(set) var linkCount = 0
  /// The names of the tables, in the order in which they were written.
  public internal(set) var tables: [String] = []
  /// The columns whose values an adoption of the database reads as others, and why.
  public internal(set) var inexact: [InexactColumn] = []
}
