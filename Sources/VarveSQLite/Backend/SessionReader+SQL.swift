import Foundation
import VarveCore

extension SessionReader {
  func table(_ sql: SQLText) async throws -> SQLTable {
    try reading {
      try session.writeBufferedRow()
      try makeTables()
      let words = SQLWords(sql.sql)
      try session.showViews(for: sql, words, past)
      session.showsDates = true
      defer {
        session.showsDates = false
        session.dropViews()
      }
      let bounds = ReadBounds.current
      let caller =
        bounds == nil ? CallerAuthorizer.Caller.program : .remote(tables: session.shownTables)
      do {
        return try session.connection.interrupter.bounded(by: bounds) {
          try run(sql, of: caller, ResultSize(atMost: bounds?.resultByteCount))
        }
      } catch let error as VarveError where error.code == .invalidQuery {
        throw explained(error, words)
      }
    }
  }

  /// Runs SQL of the caller. The statement is finalized on return, so that views can be dropped.
  private func run(
    _ sql: SQLText,
    of caller: CallerAuthorizer.Caller,
    _ size: ResultSize
  ) throws -> SQLTable {
    let fragment = SQLFragment(sql.sql, sql.parameters.map { Self.shown($0) })
    let statement = try session.connection.foreignQuery(fragment, of: caller)
    let columns = statement.columnNames
    var rows: [SQLRow] = []
    var size = size
    while try statement.step() {
      try size.add(statement.rowByteCount)
      rows.append(
        SQLRow(columns: columns, values: columns.indices.map { statement.native(Int32($0)) })
      )
    }
    return SQLTable(columns: columns, rows: rows)
  }

  /// Returns a value as the views show it: a date is a text, or seconds since 1970 outside the years
  /// that texts have.
  private static func shown(_ value: Value) -> SQLValue {
    guard case .date(let date) = value else { return SQLValue(value) }
    return SQLDate.text(date).map(SQLValue.text) ?? .real(date.timeIntervalSince1970)
  }

  // MARK: Errors

  /// Returns an error of SQLite about a name with a remedy that names the types and keys there are.
  private func explained(_ error: VarveError, _ words: SQLWords) -> VarveError {
    let tables = session.callerTables
    if ["because it is a view", "not authorized"].contains(where: error.message.hasSuffix) {
      return VarveError(
        .invalidQuery,
        "the query's SQL does more than read",
        at: error.place,
        remedy: "Write by the calls of a store, by commands or by operations."
      )
    }
    if let name = error.message.end(after: "no such table: ") {
      let table = name.end(after: "\(CallerTables.nowhere).") ?? name
      // One of Varve's own, which is created when it is first needed.
      guard !table.hasPrefix("varve_") else { return error }
      return VarveError(
        .invalidQuery,
        "no type has the name \"\(table)\" in SQL",
        at: error.place,
        remedy: Self.remedy(table, among: tables.names.names.values, "type")
      )
    }
    guard let text = error.message.end(after: "no such column: ") else { return error }
    // Newer versions add a hint, and quote the name.
    let name = (text.range(of: " - ").map { String(text[..<$0.lowerBound]) } ?? text)
      .trimmingCharacters(in: ["\""])
    let types = tables.types(among: words)
    guard !types.isEmpty else {
      return VarveError(
        .invalidQuery,
        "the SQL names no type, so nothing has the name \"\(name)\"",
        at: error.place,
        remedy: "Write a text in single quotes, and a type after FROM. "
          + Self.remedy(name, among: tables.names.names.values, "type")
      )
    }
    let layouts = types.compactMap { layout(of: $0) }
    let columns = layouts.flatMap { CallerColumns($0).columns.map(\.name) }
    let column = name.split(separator: ".").last.map(String.init) ?? name
    return VarveError(
      .invalidQuery,
      "no key has the name \"\(name)\" in SQL",
      at: error.place,
      remedy: "Write a text in single quotes. " + Self.remedy(column, among: columns, "key")
    )
  }

  private static func remedy(
    _ name: String,
    among names: some Sequence<String>,
    _ what: String
  ) -> String {
    if let nearest = NearestName.of(name, among: names) {
      return "Perhaps it is \(nearest.quotedIdentifier)."
    }
    let some = names.sorted().prefix(12).map(\.quotedIdentifier)
    guard !some.isEmpty else { return "The state has no \(what)s." }
    return "There are \(some.joined(separator: ", "))."
  }
}

extension String {
  /// Returns what follows a text; nil if it does not occur.
  fileprivate func end(after text: String) -> String? {
    range(of: text).map { String(self[$0.upperBound...]) }
  }
}
