#if CommandLine
import Foundation

/// Rows under headings, aligned by display width. Without any heading, the rows alone.
///
/// ```
/// id          name
/// ──────────  ────────
/// Country/SZ  Eswatini
/// ```
struct Table {
  /// A heading, the alignment of its column, and whether it may be narrowed for the terminal.
  struct Column {
    let heading: String
    var isNumeric = false
    var isWhole = false
  }

  private static let gap = "  "
  private static let isShown = Output.isTerminal
  private static let narrowest = 6
  /// The maximum width for alignment if lines have no limit.
  private static let widest = 200

  private let columns: [Column]
  private var rows: [[String]] = []
  /// The rows as given, with control characters.
  private var plain: [[String]] = []

  init(_ columns: [Column]) { self.columns = columns }

  /// Creates a table with text columns.
  init(_ headings: String...) { self.init(headings.map { Column(heading: $0) }) }

  /// Adds a row, with a cell for each column.
  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count, "a row has a cell for each column")
    rows.append(cells.map(\.printable))
    plain.append(cells)
  }

  /// Adds a row, with a cell for each column.
  mutating func add(_ cells: String...) { add(cells) }

  /// Returns the lines, limited to a width if one is given.
  func lines(fitting width: Int?) -> [String] {
    let headings = columns.map(\.heading.printable)
    var widths = headings.map(\.displayWidth)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], cell.displayWidth)
      }
    }
    widths = width.map { shrink(widths, to: $0) } ?? widths.map { min($0, Self.widest) }
    let rule = widths.map { String(repeating: "─", count: $0) }
    let head = headings.allSatisfy(\.isEmpty) ? [] : [headings, rule]
    return (head + rows).map { row in
      let line = row.indices.map { pad(row[$0], to: widths[$0], column: $0, cuts: width != nil) }
        .joined(separator: Self.gap).trimmingSpaces
      return width.map { line.truncated(toDisplayWidth: $0) } ?? line
    }
  }

  /// The lines as one text, limited to the width of the terminal, if there is one. There the headings
  /// stand out.
  var text: String {
    var lines = lines(fitting: Output.columns)
    if lines.count > rows.count {
      lines[0] = Style.bold(lines[0], on: STDOUT_FILENO)
      lines[1] = Style.dim(lines[1], on: STDOUT_FILENO)
    }
    return lines.joined(separator: "\n")
  }

  /// The headings and rows as comma-separated values (RFC 4180).
  var csv: String {
    ([columns.map(\.heading)] + plain).map(Self.line).joined()
  }

  /// Returns cells as a comma-separated line. A program gets the texts as they are, and a terminal with
  /// control characters escaped.
  static func line(_ cells: [String]) -> String {
    (isShown ? cells.map(\.printable) : cells).map(quoted).joined(separator: ",") + "\r\n"
  }

  private static func quoted(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else {
      return cell
    }
    // By scalar: a mark may combine with a quote, which is then not a character of its own.
    var text = "\""
    for scalar in cell.unicodeScalars {
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  private func pad(_ cell: String, to width: Int, column: Int, cuts: Bool) -> String {
    let text = cuts ? cell.truncated(toDisplayWidth: width) : cell
    let spaces = String(repeating: " ", count: max(0, width - text.displayWidth))
    return columns[column].isNumeric ? spaces + text : text + spaces
  }

  /// Narrows the widest columns until all fit or none can be narrowed further.
  private func shrink(_ widths: [Int], to total: Int) -> [Int] {
    func capped(_ cap: Int) -> [Int] {
      widths.indices.map { columns[$0].isWhole ? widths[$0] : min(widths[$0], cap) }
    }
    let available = total - Self.gap.count * (widths.count - 1)
    var cap = widths.max() ?? 0
    while cap > Self.narrowest, capped(cap).reduce(0, +) > available { cap -= 1 }
    return capped(cap)
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
  }
}
#endif
