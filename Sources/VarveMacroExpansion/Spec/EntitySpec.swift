/// The stored parts of a struct with `@Entity`: everything that rendering needs, without syntax.
package struct EntitySpec: Equatable, Sendable {
  /// The generated equality.
  package struct Equality: Equatable, Sendable {
    /// The names of the properties in code, in order, with the identifier.
    package var properties: [String]
    /// Whether `hash(into:)` is generated too.
    package var isHashed: Bool

    package init(properties: [String], isHashed: Bool) {
      self.properties = properties
      self.isHashed = isHashed
    }
  }

  /// The access of generated code, as it is written: `public`, or nil.
  package var access: String?
  /// The type label of the entities, as an expression; nil for the schema's own default.
  package var type: String?
  /// The name of one entity in messages, as an expression; nil for the schema's own default.
  package var model: String?
  /// The former type labels, as an expression; nil for none.
  package var renamedFrom: String?
  /// Lists of stored names; no two entities may have the same values of all in one.
  package var uniqueTogether: [[String]]
  /// Lists of stored names that have an index together.
  package var indexedTogether: [[String]]
  /// The properties, in order, without the identifier.
  package var properties: [PropertySpec]
  /// The number of properties before the identifier, if the generated code can call the memberwise
  /// initialiser, which avoids creating an identifier only to replace it; otherwise nil.
  package var memberwiseIdentifier: Int?
  /// The generated equality; if nil, models are equal if their identifiers are.
  package var equality: Equality?
  /// Attributes that generated code must repeat, such as `@available(macOS 26, *)`.
  package var availability: [String]

  package init(
    access: String? = nil,
    type: String? = nil,
    model: String? = nil,
    renamedFrom: String? = nil,
    uniqueTogether: [[String]] = [],
    indexedTogether: [[String]] = [],
    properties: [PropertySpec] = [],
    memberwiseIdentifier: Int? = nil,
    equality: Equality? = nil,
    availability: [String] = []
  ) {
    self.access = access
    self.type = type
    self.model = model
    self.renamedFrom = renamedFrom
    self.uniqueTogether = uniqueTogether
    self.indexedTogether = indexedTogether
    self.properties = properties
    self.memberwiseIdentifier = memberwiseIdentifier
    self.equality = equality
    self.availability = availability
  }
}
