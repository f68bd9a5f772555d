public import VarveCore

/// How the objects of a JSON document become entities of one type, and entities objects again.
///
/// ```swift
/// let book = Mapping("Book", identifiedBy: "isbn") {
///   Attribute("isbn")
///   Attribute("details.title", to: "title")
///   Attribute("published", .date("yyyy-MM-dd"))
///   ToMany(ids: "authors", of: "Author", as: .set)
/// }
/// ```
public struct Mapping: Sendable {
  /// The name other mappings and calls know it by.
  public var name: String
  /// The type of the entities.
  public var entity: EntityType
  /// The property whose value identifies an entity of the type; nil where every object is a new one.
  public var identification: PropertyKey?
  /// What properties are made from.
  public var attributes: [Attribute]
  /// What relations are made from. They are written after the attributes, in this order.
  public var relations: [MappedRelation]
  /// The kinds that values of some properties are brought to.
  public var types: [PropertyKey: Value.Kind]
  /// Whether what an object has no key for is removed, as by null; else it is left alone.
  public var clearsMissing = false
  /// Whether a document says all there is of the type, so that what it leaves out has ended.
  public var completeness: Completeness?

  /// What of a type a document says all about.
  public enum Completeness: Hashable, Sendable {
    /// All of the type.
    case all
    /// What satisfies a condition.
    case matching(Condition)
  }

  /// Creates a mapping.
  ///
  /// - Parameters:
  ///   - name: the name other mappings and calls know it by.
  ///   - entity: the type of the entities; the name if nil.
  ///   - identification: the property that identifies an entity.
  ///   - types: the kinds that values are brought to.
  ///   - completeness: what of the type a document says all about.
  ///   - clearsMissing: whether what an object has no key for is removed.
  ///   - content: attributes and relations.
  public init(
    _ name: String,
    entity: EntityType? = nil,
    identifiedBy identification: PropertyKey? = nil,
    types: [PropertyKey: Value.Kind] = [:],
    complete completeness: Completeness? = nil,
    clearsMissing: Bool = false,
    @MappingBuilder _ content: () -> [MappingElement] = { [] }
  ) {
    self.name = name
    self.entity = entity ?? EntityType(name)
    self.identification = identification
    self.types = types
    self.completeness = completeness
    self.clearsMissing = clearsMissing
    attributes = []
    relations = []
    for element in content() {
      switch element {
      case .attribute(let attribute): attributes.append(attribute)
      case .relation(let relation): relations.append(relation)
      }
    }
  }

  /// The attribute that gives the identifying value, if there is one.
  var identifyingAttribute: Attribute? {
    identification.flatMap { key in attributes.last { $0.key == key } }
  }
}
