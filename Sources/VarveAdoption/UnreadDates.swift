import Foundation
import VarveCore

/// The values of columns of dates that are no dates, and stay as they are stored.
struct UnreadDates {
  private struct Values {
    var count = 0
    var first: Value?
  }

  private let columns: [AdoptionPlan.Column]
  private var values: [Values]

  init(_ columns: [AdoptionPlan.Column]) {
    self.columns = columns
    values = columns.map { _ in Values() }
  }

  /// Counts a value as it was read.
  mutating func take(_ value: Value, at place: Int) {
    switch columns[place].reading {
    case .stored, .boolean: return
    case .date, .milliseconds, .referenceDate: break
    }
    guard value.kind != .date else { return }
    values[place].count += 1
    if values[place].first == nil { values[place].first = value }
  }

  /// Returns a remark on each column with such values.
  func remarks(on table: AdoptionPlan.Table) -> [String] {
    zip(columns, values).compactMap { column, values in
      guard let first = values.first else { return nil }
      let count = values.count == 1 ? "a value is no date" : "\(values.count) values are no dates"
      return "\(table.name).\(column.name): \(count), such as \(first)" + hint(table, column, first)
    }
  }

  /// Returns a reading that makes a date of a number.
  private func hint(
    _ table: AdoptionPlan.Table,
    _ column: AdoptionPlan.Column,
    _ value: Value
  ) -> String {
    guard column.reading == .date, case .date(let date) = ColumnReading.milliseconds.value(value),
      let text = ExportedText.text(of: date, separator: "T", zone: "Z")
    else { return "" }
    let reading = ColumnReading.milliseconds.rawValue
    return "; read as \(reading) (--kind \(table.name).\(column.name)=\(reading)), it is \(text)"
  }
}
