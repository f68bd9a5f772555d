/// The policy for rows of a query that cannot be read as the model.
///
/// Such rows are left by older versions of a program, or by others that write to the store.
public enum UnreadableRowPolicy: String, Hashable, Sendable, CaseIterable {
  /// The row is omitted and logged, once per query. A limit counts the rows that can be read.
  case omit
  /// The query throws the error that reading the entity by its identifier throws.
  case refuse
}
