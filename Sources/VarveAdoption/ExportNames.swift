/// Gives out names that SQLite can tell apart, which ignores the case of ASCII letters.
struct ExportNames {
  private var taken: Set<String>

  /// Creates names of which some are taken.
  init(taken: [String] = []) { self.taken = Set(taken.map(Self.folded)) }

  /// Returns a name, with a number if it is taken.
  mutating func take(_ wanted: String, ifEmpty substitute: String) -> String {
    // SQL ends at a zero byte, and SQLite reserves names that begin with `sqlite_`.
    var name = wanted.isEmpty ? substitute : wanted.replacing("\0", with: "_")
    if name.lowercased().hasPrefix("sqlite_") { name = "_" + name }
    var candidate = name
    var number = 2
    while !taken.insert(Self.folded(candidate)).inserted {
      candidate = "\(name)_\(number)"
      number += 1
    }
    return candidate
  }

  /// Returns the bytes that SQLite compares, as scalars, so that Swift does not take composed and
  /// decomposed letters for one.
  private static func folded(_ name: String) -> String {
    name.utf8.map { byte in
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      return String(isUpper ? byte + 32 : byte, radix: 16)
    }.joined(separator: ".")
  }
}
