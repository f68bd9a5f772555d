import Foundation
import VarveCore

/// Collects what is remarkable about columns of dates: values that are no dates and stay as they are
/// stored, fractions of a second that are too long for a date, and small numbers, which may be
/// something else than seconds.
struct DateRemarks {
  /// The values of a column about which a remark is made.
  private struct Values {
    var count = 0
    var first: (stored: Value, read: Value)?

    mutating func take(_ stored: Value, _ read: Value) {
      count += 1
      if first == nil { first = (stored, read) }
    }
  }

  private struct Column {
    var unread = Values()
    var cut = Values()
    var small = Values()
  }

  private let columns: [AdoptionPlan.Column]
  private var found: [Column]

  /// The seconds of one year. A smaller number, read as seconds, is a date of 1970, or of 1969.
  private static let yearSeconds = 31_536_000.0

  init(_ columns: [AdoptionPlan.Column]) {
    self.columns = columns
    found = columns.map { _ in Column() }
  }

  /// Counts a value.
  ///
  /// - Parameters:
  ///   - stored: the value in the database.
  ///   - value: the value that was read from it.
  ///   - place: the place of its column.
  mutating func take(_ stored: Value, as value: Value, at place: Int) {
    switch columns[place].reading {
    case .stored, .boolean: return
    case .date, .milliseconds, .referenceDate: break
    }
    guard case .date(let date) = value else { return found[place].unread.take(stored, value) }
    switch stored {
    case .string(let text) where Self.isCut(text, date): found[place].cut.take(stored, value)
    case .int, .double:
      let isSmall = abs(date.timeIntervalSince1970) < Self.yearSeconds
      if isSmall, columns[place].reading == .date { found[place].small.take(stored, value) }
    default: break
    }
  }

  /// Whether a text has more digits of a second than its date.
  private static func isCut(_ text: String, _ date: Date) -> Bool {
    let digits = fraction(of: text)
    // A date of any year keeps three digits and more.
    guard digits.count > 3, let kept = shown(date) else { return false }
    return digits != fraction(of: kept)
  }

  /// Returns the digits of the fraction of a second, without zeros at the end.
  private static func fraction(of text: String) -> Substring {
    guard let point = text.lastIndex(of: ".") else { return "" }
    let digits = text[text.index(after: point)...].prefix { $0.isNumber }
    return digits.lastIndex { $0 != "0" }.map { digits[...$0] } ?? ""
  }

  private static func shown(_ date: Date) -> String? {
    ExportedText.text(of: date, separator: "T", zone: "Z")
  }

  // MARK: Remarks

  /// Returns the remarks on a table.
  func remarks(on table: AdoptionPlan.Table) -> [String] {
    zip(columns, found).flatMap { column, found in
      [
        Self.unread(found.unread, table, column), Self.cut(found.cut, table, column),
        Self.small(found.small, table, column),
      ].compactMap(\.self)
    }
  }

  private static func unread(
    _ values: Values,
    _ table: AdoptionPlan.Table,
    _ column: AdoptionPlan.Column
  ) -> String? {
    guard let first = values.first?.stored else { return nil }
    let count = values.count == 1 ? "a value is no date" : "\(values.count) values are no dates"
    return "\(table.name).\(column.name): \(count), such as \(first)" + hint(table, column, first)
  }

  private static func cut(
    _ values: Values,
    _ table: AdoptionPlan.Table,
    _ column: AdoptionPlan.Column
  ) -> String? {
    guard let first = values.first, case .date(let date) = first.read else { return nil }
    let count =
      values.count == 1
      ? "a value has more digits than a date"
      : "\(values.count) values have more digits than a date"
    let reading = ColumnReading.stored.rawValue
    return "\(table.name).\(column.name): \(count), such as \(first.stored), which is read as "
      + "\(shown(date) ?? ""); --kind \(table.name).\(column.name)=\(reading) keeps the texts"
  }

  private static func small(
    _ values: Values,
    _ table: AdoptionPlan.Table,
    _ column: AdoptionPlan.Column
  ) -> String? {
    guard let first = values.first, case .date(let date) = first.read else { return nil }
    let count = values.count == 1 ? "a number is small" : "\(values.count) numbers are small"
    let reading = ColumnReading.stored.rawValue
    return "\(table.name).\(column.name): \(count), such as \(first.stored); read as seconds since "
      + "1970, it is \(shown(date) ?? ""); --kind \(table.name).\(column.name)=\(reading) keeps the "
      + "numbers"
  }

  /// Returns a reading that makes a date of a number.
  private static func hint(
    _ table: AdoptionPlan.Table,
    _ column: AdoptionPlan.Column,
    _ value: Value
  ) -> String {
    guard column.reading == .date, case .date(let date) = ColumnReading.milliseconds.value(value),
      let text = shown(date)
    else { return "" }
    let reading = ColumnReading.milliseconds.rawValue
    return "; read as \(reading) (--kind \(table.name).\(column.name)=\(reading)), it is \(text)"
  }
}
