/// The union of all redactions of one commit.
package struct RedactedCells: Sendable, Hashable {
  private var everything = OrdinalSet()
  private var byKey: [PropertyKey: OrdinalSet] = [:]

  package init() {}

  package init(_ parts: [Redaction.Part]) { add(parts) }

  package var isEmpty: Bool { everything.isEmpty && byKey.isEmpty }

  package mutating func add(_ parts: [Redaction.Part]) {
    for part in parts {
      guard let key = part.key else {
        everything.formUnion(part.ordinals)
        continue
      }
      byKey[key, default: OrdinalSet()].formUnion(part.ordinals)
    }
  }

  /// The ordinals named, for all properties or for one.
  package var ordinals: OrdinalSet {
    var all = everything
    for ordinals in byKey.values { all.formUnion(ordinals) }
    return all
  }

  /// Returns whether cells of one property are named.
  package func mentions(_ key: PropertyKey) -> Bool { byKey[key] != nil }

  /// Returns whether the cell of a property at an ordinal is named.
  package func names(_ ordinal: Int, _ key: PropertyKey) -> Bool {
    everything.contains(ordinal) || byKey[key]?.contains(ordinal) ?? false
  }

  /// Returns whether a cell is named and can be redacted.
  package func names(_ cell: Cell) -> Bool {
    cell.content.forgettableKey.map { names(cell.ordinal, $0) } ?? false
  }
}

extension Cell.Content {
  /// The property whose content the cell is; nil for lives and edges, which cannot be redacted.
  package var forgettableKey: PropertyKey? {
    switch self {
    case .value(let key, _, _), .removal(let key), .collection(let key): key
    case .add(let relation, _, _, _), .remove(let relation, _, _):
      relation.kind == .member ? relation.name : nil
    case .life: nil
    }
  }
}
