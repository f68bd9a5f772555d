/// The names of types and keys in SQL, lists and exports.
///
/// A name is the type or the key itself wherever SQL can hold it and tell it from the others. SQL
/// does not distinguish the case of ASCII letters, and takes every other byte as it is. Otherwise
/// the name gets a number, from 2 on. The names depend on the set of types or keys alone, so they
/// are the same in every state, copy and command.
package struct SQLNames<Text: ByteExactText>: Sendable {
  /// The name of each type or key.
  package private(set) var names: [Text: String] = [:]
  private var texts: [FoldedName: Text] = [:]

  /// Returns the name of a type or a key; nil if it is none of those that were named.
  package subscript(text: Text) -> String? { names[text] }

  /// Returns the type or the key of a name.
  package func text(of name: FoldedName) -> Text? { texts[name] }

  /// The types or keys that have another name, in byte order.
  package var renamed: [Text] { names.filter { $0.key.text != $0.value }.keys.sorted() }

  /// - Parameters:
  ///   - reserved: the names that none gets.
  ///   - prepare: returns the name that SQL can hold, which is the text itself if it can.
  fileprivate init(
    _ all: some Sequence<Text>,
    reserved: [String],
    _ prepare: (String) -> String
  ) {
    let sorted = Set(all).sorted()
    var taken = Set(reserved.map { FoldedName($0) })
    var others: [(text: Text, wanted: String)] = []
    // What can have its own name keeps it, before another gets that name with a number.
    for text in sorted {
      let wanted = prepare(text.text)
      if wanted == text.text, taken.insert(FoldedName(wanted)).inserted {
        add(text, wanted)
      } else {
        others.append((text, wanted))
      }
    }
    for (text, wanted) in others {
      var (candidate, number) = (wanted, 2)
      while !taken.insert(FoldedName(candidate)).inserted {
        candidate = "\(wanted)_\(number)"
        number += 1
      }
      add(text, candidate)
    }
  }

  private mutating func add(_ text: Text, _ name: String) {
    names[text] = name
    texts[FoldedName(name)] = text
  }
}

extension SQLNames<EntityType> {
  /// Names types as tables. SQLite reserves names that begin with `sqlite_`, and Varve those that
  /// begin with `varve_`.
  package init(types: some Sequence<EntityType>) {
    self.init(types, reserved: []) { text in
      let name = text.withoutZeroBytes(ifEmpty: "untyped")
      let lowered = name.utf8.prefix(7).map { $0 | 0x20 }
      let isReserved = ["sqlite_", "varve_"].contains { reserved in
        lowered.starts(with: reserved.utf8.map { $0 | 0x20 })
      }
      return isReserved ? "_" + name : name
    }
  }
}

extension SQLNames<PropertyKey> {
  /// The column of identifiers.
  package static var identifier: String { "id" }
  /// The columns of an entity's own dates.
  package static var ownDates: [String] { ["@datestamp", "@modified"] }

  /// Names the keys of a type as columns. `id`, `@datestamp` and `@modified` are the entity's own.
  /// SQLite does not find columns named `true` and `false` in a view.
  ///
  /// - Parameter reserved: further columns of the table.
  package init(keys: some Sequence<PropertyKey>, reserved: [String] = []) {
    let fixed = [Self.identifier] + Self.ownDates + ["true", "false"]
    self.init(keys, reserved: fixed + reserved) { $0.withoutZeroBytes(ifEmpty: "value") }
  }
}

/// A name as SQL compares it: without the case of ASCII letters, byte by byte otherwise.
package struct FoldedName: Hashable, Sendable {
  fileprivate let bytes: [UInt8]

  package init(_ name: some StringProtocol) {
    bytes = name.utf8.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }
}

extension FoldedName {
  /// Whether the name begins with another in lower case.
  func hasPrefix(_ prefix: String) -> Bool { bytes.starts(with: prefix.utf8) }

  /// Whether the name begins with another.
  package func hasPrefix(_ prefix: FoldedName) -> Bool { bytes.starts(with: prefix.bytes) }
}

extension String {
  /// The text as a name: SQL ends at a zero byte.
  fileprivate func withoutZeroBytes(ifEmpty substitute: String) -> String {
    isEmpty ? substitute : utf8.contains(0) ? replacing("\0", with: "_") : self
  }
}
