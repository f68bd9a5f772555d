import VarveCore

/// The name under which a session prepares a statement: a hash of its text.
///
/// A pooler may pass a name on to a session that another connection used before. There it names the
/// same statement, or none. The texts cast every parameter, so that the types of parameters are
/// parts of them.
package struct StatementName: Hashable, Sendable {
  /// The name. PostgreSQL takes 63 bytes of it.
  package let text: String

  /// The number of bytes of the hash, which are enough that no two statements ever have one name.
  private static let byteCount = 24

  /// Names a statement.
  package init(of sql: String) {
    let hash = ContentDigest.sha256(Array(sql.utf8)).hexadecimal
    text = "varve_\(hash.prefix(2 * Self.byteCount))"
  }
}
