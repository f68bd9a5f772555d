/// A key that entities of a type have had.
package struct KnownKey: Hashable, Sendable {
  package var key: PropertyKey
  /// The kind of its values. Integers and doubles are of one kind.
  package var kind: Value.Kind
  /// Whether it may have values of other kinds too, or several values.
  package var mayHaveOthers: Bool
  /// Whether an index on it was requested.
  package var isIndexed: Bool

  package init(_ key: PropertyKey, _ kind: Value.Kind, mayHaveOthers: Bool, isIndexed: Bool) {
    self.key = key
    self.kind = kind
    self.mayHaveOthers = mayHaveOthers
    self.isIndexed = isIndexed
  }
}
