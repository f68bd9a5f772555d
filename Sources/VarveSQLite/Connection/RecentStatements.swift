/// A few statements by the identity of their text: hashing a long text for each row would cost more
/// than binding it.
struct RecentStatements {
  private struct Entry {
    /// Kept, so that no other text takes its place in memory.
    var sql: String
    var bits: Bits
    var statement: Statement
  }

  /// What a string is made of: its content if it is short, else where it stands.
  private struct Bits: Equatable {
    var first: UInt64
    var second: UInt64

    @inline(__always)
    init(_ text: String) {
      (first, second) = unsafeBitCast(text, to: (UInt64, UInt64).self)
    }
  }

  private var entries: [Entry] = []
  private var next = 0
  private static let capacity = 8

  @inline(__always)
  subscript(sql: String) -> Statement? {
    let bits = Bits(sql)
    for index in entries.indices where entries[index].bits == bits {
      return entries[index].statement
    }
    return nil
  }

  /// Remembers a statement; the one remembered longest makes room.
  mutating func add(_ statement: Statement, _ sql: String) {
    let entry = Entry(sql: sql, bits: Bits(sql), statement: statement)
    guard entries.count == Self.capacity else { return entries.append(entry) }
    entries[next] = entry
    next = (next + 1) % Self.capacity
  }
}
