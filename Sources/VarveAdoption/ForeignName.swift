/// The name of a table or a column as SQLite compares names: byte by byte, except for the case of
/// ASCII letters.
///
/// Swift's `String` treats canonically equivalent texts as equal, and `lowercased()` folds other
/// letters too. Tables that differ so are different tables.
struct ForeignName: Hashable {
  private let bytes: [UInt8]

  init(_ name: String) {
    bytes = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }
}

extension String {
  /// Whether another text is the same name to SQLite.
  func isSameName(_ other: String) -> Bool { ForeignName(self) == ForeignName(other) }
}
