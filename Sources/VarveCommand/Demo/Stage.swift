import VarveJSON

/// Where the acts of the demo tell what happens: to people as it happens, to programs at the end.
final class Stage {
  private let isSilent: Bool
  private var members: [JSON.Member] = []
  private var actCount = 0
  /// Whether a blank line stands between what was told last and what comes.
  private var needsBlank = false

  init(isSilent: Bool) { self.isSilent = isSilent }

  /// Begins an act.
  func begin(_ title: String) throws {
    needsBlank = actCount > 0
    actCount += 1
    let heading = "\(actCount). \(title)"
    try say(heading)
    try say(String(repeating: "═", count: heading.displayWidth))
  }

  /// Tells a line.
  func say(_ line: String) throws {
    if !isSilent { try Output.line(needsBlank ? "\n" + line : line) }
    needsBlank = false
  }

  /// Shows a table, set off by blank lines.
  func show(_ table: Table) throws {
    needsBlank = true
    try say(table.text)
    needsBlank = true
  }

  /// Notes a result for programs.
  func note(_ name: String, _ value: JSON) {
    members.append(JSON.Member(name: name, value: value))
  }

  /// All that was noted, in order.
  var record: JSON { .object(members) }
}
