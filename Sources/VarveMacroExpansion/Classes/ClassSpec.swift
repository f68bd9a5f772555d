/// The stored parts of a class with `@Entity`: everything that rendering needs, without syntax.
package struct ClassSpec: Equatable, Sendable {
  /// One stored property.
  package struct Property: Equatable, Sendable {
    /// The property's name in code, including backticks.
    package var name: String
    /// The property's stored name.
    package var storedName: String
    /// The expression for a missing value; nil if there is none.
    package var defaultValue: String?
    /// Whether the objects that it links to are owned.
    package var isOwning: Bool

    package init(
      _ name: String,
      storedName: String,
      defaultValue: String? = nil,
      isOwning: Bool = false
    ) {
      self.name = name
      self.storedName = storedName
      self.defaultValue = defaultValue
      self.isOwning = isOwning
    }
  }

  /// The name of the class.
  package var name: String
  /// The access of generated code, as it is written: `public`, `open`, or nil.
  package var access: String?
  /// The kind, as an expression.
  package var kind: String
  /// Whether the class is final, so it has no subclasses.
  package var isFinal: Bool
  /// Whether a superclass is stored too.
  package var isSubclass: Bool
  /// The global actor the class is marked with, if any.
  package var actor: String?
  /// Whether the class is marked `nonisolated`.
  package var isNonisolated: Bool
  /// Whether the class itself declares its identifier.
  package var declaresIdentifier: Bool
  package var properties: [Property]

  package init(
    _ name: String = "",
    access: String? = nil,
    kind: String,
    isFinal: Bool = false,
    isSubclass: Bool = false,
    actor: String? = nil,
    isNonisolated: Bool = false,
    declaresIdentifier: Bool = false,
    properties: [Property] = []
  ) {
    self.name = name
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
