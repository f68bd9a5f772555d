/// What a class with `@Entity` stores: all that rendering needs, and no syntax.
package struct ClassSpec: Equatable, Sendable {
  /// One stored property.
  package struct Property: Equatable, Sendable {
    /// The property as code names it, with backticks where it has them.
    package var name: String
    /// The name it is stored under.
    package var storedName: String
    /// What stands for a missing value, as an expression; nil where there is nothing.
    package var defaultValue: String?

    package init(_ name: String, storedName: String, defaultValue: String? = nil) {
      self.name = name
      self.storedName = storedName
      self.defaultValue = defaultValue
    }
  }

  /// The access of what is generated, as it is written: `public`, `open`, or nothing.
  package var access: String?
  /// The kind, as an expression.
  package var kind: String
  /// Whether there may be classes below.
  package var isFinal: Bool
  /// Whether a class above is stored too.
  package var isSubclass: Bool
  /// The global actor the class is marked with, if it is.
  package var actor: String?
  /// Whether the class says that it belongs to none.
  package var isNonisolated: Bool
  /// Whether the class itself says what its identifier is.
  package var declaresIdentifier: Bool
  package var properties: [Property]

  package init(
    access: String? = nil,
    kind: String,
    isFinal: Bool = false,
    isSubclass: Bool = false,
    actor: String? = nil,
    isNonisolated: Bool = false,
    declaresIdentifier: Bool = false,
    properties: [Property] = []
  ) {
    self.access = access
    self.kind = kind
    self.isFinal = isFinal
    self.isSubclass = isSubclass
    self.actor = actor
    self.isNonisolated = isNonisolated
    self.declaresIdentifier = declaresIdentifier
    self.properties = properties
  }
}
