import VarveCore

/// Gives the tables of relations names that SQLite can tell from those of types. It ignores the case
/// of ASCII letters.
struct ExportNames {
  private var taken: Set<FoldedName>

  /// Creates names of which some are taken.
  init(taken: [String] = []) { self.taken = Set(taken.map { FoldedName($0) }) }

  /// Returns a name, with a number if it is taken.
  mutating func take(_ wanted: String, ifEmpty substitute: String) -> String {
    // SQL ends at a zero byte, and SQLite reserves names that begin with `sqlite_`.
    var name = wanted.isEmpty ? substitute : wanted.replacing("\0", with: "_")
    if name.lowercased().hasPrefix("sqlite_") { name = "_" + name }
    var candidate = name
    var number = 2
    while !taken.insert(FoldedName(candidate)).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }
}
