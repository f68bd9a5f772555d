#if CommandLine
import VarveJSON

/// The output of the acts: printed as they run, or collected as JSON for the end.
final class Stage {
  private let isSilent: Bool
  private var members: [JSON.Member] = []
  private var actCount = 0
  /// Whether a blank line is due before the next output.
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

  /// Prints a line.
  func say(_ line: String) throws {
    if !isSilent { try Output.line(needsBlank ? "\n" + line : line) }
    needsBlank = false
  }

  /// Prints a table, with blank lines around it.
  func show(_ table: Table) throws {
    needsBlank = true
    try say(table.text)
    needsBlank = true
  }

  /// Records a result for the JSON output.
  func note(_ name: String, _ value: JSON) {
    members.append(JSON.Member(name: name, value: value))
  }

  /// The recorded results, in order.
  var record: JSON { .object(members) }
}
#endif
