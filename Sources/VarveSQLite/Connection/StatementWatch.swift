import SQLiteLibrary

/// Reports the statements that connections run.
package struct StatementWatch: Sendable {
  /// The time that a statement must take to be reported.
  let minimumNanoseconds: Int64
  /// Whether the reported text contains the bound values.
  let includesValues: Bool
  let report: @Sendable (String, Int64) -> Void

  /// The bytes of a statement that are reported. A value may have 512 MiB.
  private static let longestText = 16_384

  package init(
    minimumNanoseconds: Int64,
    includesValues: Bool,
    report: @escaping @Sendable (String, Int64) -> Void
  ) {
    self.minimumNanoseconds = minimumNanoseconds
    self.includesValues = includesValues
    self.report = report
  }

  fileprivate func note(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    guard nanoseconds >= minimumNanoseconds else { return }
    var text = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    if includesValues, let expanded = sqlite3_expanded_sql(statement) {
      text = String(cString: expanded)
      sqlite3_free(expanded)
    }
    if text.utf8.count > Self.longestText {
      text = String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self) + "…"
    }
    report(text, nanoseconds)
  }
}

/// The watch of one connection, which SQLite calls.
final class ConnectionWatch {
  private let watch: StatementWatch

  /// Watches a connection, which must retain the object.
  init(_ watch: StatementWatch, on handle: OpaquePointer) {
    self.watch = watch
    sqlite3_trace_v2(
      handle,
      UInt32(SQLITE_TRACE_PROFILE),
      { _, context, statement, time in
        if let context, let statement, let time {
          Unmanaged<ConnectionWatch>.fromOpaque(context).takeUnretainedValue().watch
            .note(OpaquePointer(statement), time.load(as: Int64.self))
        }
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }
}
