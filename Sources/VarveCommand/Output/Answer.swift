#if CommandLine
import VarveJSON

/// The result of a command: a document for programs, lines for people.
struct Answer {
  let json: JSON
  private(set) var lines: [String] = []
  /// The table for `--csv`: the last one added.
  private(set) var table: Table?

  /// What people and programs should know besides the result.
  private(set) var notes: [String] = []

  init(_ json: JSON) { self.json = json }

  /// Adds notes on names.
  mutating func note(_ notes: [NameNote]) { self.notes += notes.map(\.text) }

  /// Adds notes.
  mutating func note(_ notes: [String]) { self.notes += notes }

  /// Adds a line for people.
  mutating func say(_ line: String) { lines.append(line) }

  /// Adds a table for people, and for `--csv`.
  mutating func show(_ table: Table) {
    lines.append(table.text)
    self.table = table
  }

  /// Sets the table for `--csv`, if people see the result in another form.
  mutating func tabulate(_ table: Table) { self.table = table }
}
#endif
