import VarveJSON

/// What a command answers: a document for programs, lines for people.
struct Answer {
  let json: JSON
  private(set) var lines: [String] = []
  /// What the answer is as comma-separated values: the last table.
  private(set) var table: Table?

  init(_ json: JSON) { self.json = json }

  /// Adds a line for people.
  mutating func say(_ line: String) { lines.append(line) }

  /// Adds a table for people.
  mutating func show(_ table: Table) {
    lines.append(table.text)
    self.table = table
  }

  /// Adds a table that people see in other words.
  mutating func tabulate(_ table: Table) { self.table = table }
}
