import Foundation
import SQLiteLibrary
import VarveCore

/// The SQL functions on dates.
extension SQLFunctions {
  /// Registers `varve_date(text)`, a date in the form in which SQL of the caller sees the dates of
  /// entities, and `varve_date_text(seconds)`, a stored date as text.
  ///
  /// - Parameter areShown: returns whether the SQL sees dates as texts, and not as they are stored.
  static func registerDates(on handle: OpaquePointer, _ areShown: @escaping () -> Bool) {
    define(handle, "varve_date_text", 1) { context, arguments in
      guard sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
        return sqlite3_result_null(context)
      }
      let seconds = sqlite3_value_double(arguments[0])
      shown(context, .date(Date(timeIntervalSinceReferenceDate: seconds)))
    }
    // What it returns depends on the statement, and is the same throughout one.
    define(handle, "varve_date", 1) { context, arguments in
      guard sqlite3_value_type(arguments[0]) != SQLITE_NULL else {
        return sqlite3_result_null(context)
      }
      guard sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
        let date = DateReader.read(text(arguments[0]))
      else {
        return sqlite3_result_error(context, "varve_date takes \(DateReader.forms)", -1)
      }
      if areShown() { shown(context, .date(date)) } else { result(context, .date(date)) }
    }
  }

  /// Returns a value as people read it: a date as text, or as seconds since 1970 outside the years
  /// 0 to 9999.
  static func shown(_ context: OpaquePointer?, _ value: Value) {
    guard case .date(let date) = value else { return result(context, value) }
    if let text = SQLDate.text(date) {
      result(context, text: text)
    } else {
      sqlite3_result_double(context, date.timeIntervalSince1970)
    }
  }
}
