/// What a struct with `@Entity` stores: all that rendering needs, and no syntax.
package struct EntitySpec: Equatable, Sendable {
  /// The access of what is generated, as it is written: `public`, or nothing.
  package var access: String?
  /// The type label of the entities, as an expression; nil for the schema's own default.
  package var type: String?
  /// What messages call one of them, as an expression; nil for the schema's own default.
  package var model: String?
  /// Lists of stored names that no two entities may have the same values of.
  package var uniqueTogether: [[String]]
  /// The properties, in their order; the identifier is none of them.
  package var properties: [PropertySpec]
  /// How many properties stand before the identifier, where the struct has its memberwise initialiser
  /// and nothing but it needs to say what a property begins with; else nil. Through it no identifier
  /// is made only to be replaced.
  package var memberwiseIdentifier: Int?
  /// Attributes that what is generated must repeat, such as `@available(macOS 26, *)`.
  package var availability: [String]

  package init(
    access: String? = nil,
    type: String? = nil,
    model: String? = nil,
    uniqueTogether: [[String]] = [],
    properties: [PropertySpec] = [],
    memberwiseIdentifier: Int? = nil,
    availability: [String] = []
  ) {
    self.access = access
    self.type = type
    self.model = model
    self.uniqueTogether = uniqueTogether
    self.properties = properties
    self.memberwiseIdentifier = memberwiseIdentifier
    self.availability = availability
  }
}
