/// What a store passes on to everything that is read from it.
package struct ReadingRules: Sendable {
  /// The classes of the references that the store returns.
  package let classes: TypeRegistry
  /// The policy for rows that cannot be read as a model.
  package let unreadableRows: UnreadableRowPolicy
}

extension Store {
  var rules: ReadingRules {
    ReadingRules(classes: classes, unreadableRows: configuration.unreadableRows)
  }
}
