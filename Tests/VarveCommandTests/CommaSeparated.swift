#if CommandLine && Server && YAML
/// Reads comma-separated values as RFC 4180 has them.
struct CommaSeparated {
  private(set) var rows: [[String]] = []
  private var row: [String] = []
  private var cell = ""
  private var isQuoted = false

  /// A text is not such a table.
  struct Malformed: Error { let text: String }

  init(_ text: String) throws {
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"" where isQuoted && scalars.first == "\"":
        cell.unicodeScalars.append(scalar)
        scalars.removeFirst()
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: endCell()
      case "\r" where !isQuoted && scalars.first == "\n":
        scalars.removeFirst()
        endCell()
        rows.append(row)
        row = []
      case "\r" where !isQuoted, "\n" where !isQuoted: throw Malformed(text: text)
      default: cell.unicodeScalars.append(scalar)
      }
    }
    guard !isQuoted, row.isEmpty, cell.isEmpty, Set(rows.map(\.count)).count <= 1 else {
      throw Malformed(text: text)
    }
  }

  private mutating func endCell() {
    row.append(cell)
    cell = ""
  }
}

extension Program.Run {
  /// Standard output as comma-separated values, with the headings.
  var csv: [[String]] { get throws { try CommaSeparated(output).rows } }
}
#endif
