import SQLiteLibrary
import VarveCore

/// Decides what own SQL of a caller may use, while SQLite prepares it.
///
/// SQL of a program that embeds the store may read everything. SQL of a server's callers reads the
/// tables and views it is shown, and calls functions by name: a function that is not listed may
/// reveal or change something of the process, as SQLite's `fts3_tokenizer` did.
final class CallerAuthorizer {
  /// What a caller's SQL may use besides.
  enum Caller {
    /// A program, which has the file anyway.
    case program
    /// A caller of a server. The tables and views are named in lower case.
    case remote(tables: Set<String>)
  }

  private let caller: Caller
  /// What was refused first, if anything was.
  private var refusal: String?

  init(_ caller: Caller) { self.caller = caller }

  /// Prepares SQL under this decision.
  ///
  /// - Throws: `invalidQuery` if it uses what it may not.
  func whilePreparing<Result>(
    on handle: OpaquePointer,
    at place: String,
    _ body: () throws -> Result
  ) throws -> Result {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        return Unmanaged<CallerAuthorizer>.fromOpaque(context).takeUnretainedValue()
          .decide(action, first.text ?? "", second.text ?? "")
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    do {
      return try body()
    } catch {
      guard let refusal else { throw error }
      throw VarveError(
        .invalidQuery,
        "SQL of a server's callers may not \(refusal)",
        at: place,
        remedy: "Read the tables of types, with the functions of SQLite that compute. "
          + "Other operations read histories, the log and what is searched."
      )
    }
  }

  private func decide(_ action: Int32, _ first: String, _ second: String) -> Int32 {
    let isAllowed =
      switch action {
      case SQLITE_SELECT, SQLITE_RECURSIVE: true
      case SQLITE_READ: mayRead(first, second)
      case SQLITE_FUNCTION: mayCall(second)
      default: false
      }
    return isAllowed ? SQLITE_OK : SQLITE_DENY
  }

  private func mayRead(_ table: String, _ column: String) -> Bool {
    guard case .remote(let tables) = caller else { return true }
    let name = table.lowercased()
    if tables.contains(name) || Self.tableFunctions.contains(name) { return true }
    // A table of which no column is read has none with a name. It may be one that the statement
    // itself defines.
    if column.isEmpty, !Self.isReserved(name) { return true }
    if let shown = Self.columns[name], column.isEmpty || shown.contains(column) { return true }
    // The rows of a past state, which its views read.
    if name.hasPrefix("varve_past_"), name != "varve_past_identity" { return true }
    refuse("read \(Self.columns[name] == nil || column.isEmpty ? table : "\(table).\(column)")")
    return false
  }

  /// Whether a name is one of SQLite or of Varve, which no statement may define anew.
  private static func isReserved(_ name: String) -> Bool {
    ["varve_", "sqlite_", "pragma_"].contains { name.hasPrefix($0) } || name == "dbstat"
  }

  private func mayCall(_ function: String) -> Bool {
    guard case .remote = caller else { return true }
    if Self.functions.contains(function.lowercased()) { return true }
    refuse("call the function \(function)")
    return false
  }

  private func refuse(_ what: String) { refusal = refusal ?? what }

  /// What the inspector reads of Varve's own tables: names, numbers and times, which every reader of
  /// a space may know.
  private static let columns: [String: Set<String>] = [
    "varve_type": ["number", "name", "table_name"], "varve_key": ["number", "name"],
    "varve_column": ["type", "key", "column_name"],
    "varve_identity": ["id", "row", "type", "life", "born"],
    "varve_touch": ["row", "time"], "varve_recent_touch": ["number", "touches"],
    "varve_link": ["source", "target", "kind", "time"], "varve_unlink": ["time"],
    "varve_commit": ["n", "time", "header"], "varve_horizon": ["time"],
    "varve_outline": ["field"], "varve_awaited": ["n"],
  ]

  /// The functions of SQLite in place of a table.
  private static let tableFunctions: Set<String> = ["json_each", "json_tree"]

  /// The functions that compute from their arguments alone, the time or chance. `json_patch` is none
  /// of them: its work grows with the square of its arguments, without a look at the deadline.
  private static let functions: Set<String> = Set(
    """
    abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat concat_ws cos \
    cosh count cume_dist current_date current_time current_timestamp date datetime degrees \
    dense_rank exp first_value floor format glob group_concat hex ifnull iif if instr json -> ->> \
    json_array json_array_length json_error_position json_extract json_group_array \
    json_group_object json_insert json_object json_pretty json_quote json_remove \
    json_replace json_set json_type json_valid jsonb jsonb_array jsonb_extract jsonb_group_array \
    jsonb_group_object jsonb_insert jsonb_object jsonb_remove jsonb_replace jsonb_set \
    julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max \
    median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont \
    percentile_disc pi pow power printf quote radians random randomblob rank replace round \
    row_number rtrim sign sin sinh soundex sqrt strftime string_agg substr substring sum tan tanh \
    time timediff total trim trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely \
    upper varve_any varve_date varve_date_text varve_fold varve_json varve_shown varve_text zeroblob
    """.split(whereSeparator: \.isWhitespace).map(String.init)
  )
}

extension UnsafePointer<CChar>? {
  fileprivate var text: String? { map { String(cString: $0) } }
}
