public import VarveCore

/// A mapping between the objects of a JSON document and the entities of one type, in both
/// directions.
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
  /// The mapping's name, for other mappings and for calls.
  public var name: String
  /// The type of the entities.
  public var entity: EntityType
  /// The property whose value identifies an entity of the type (the natural key); nil if every
  /// object is a new entity.
  public var identification: PropertyKey?
  /// The sources of properties.
  public var attributes: [Attribute]
  /// The sources of relations. They are written after the attributes, in this order.
  public var relations: [MappedRelation]
  /// The kinds to which values of some properties are converted.
  public var types: [PropertyKey: Value.Kind]
  /// Whether a property whose key an object lacks is removed, as by null; otherwise it is
  /// unchanged.
  public var clearsMissing = false
  /// The entities for which a document is complete: those it omits have ended. Nil if it is not
  /// complete.
  public var completeness: Completeness?

  /// The entities for which a document is complete.
  public enum Completeness: Hashable, Sendable {
    /// All entities of the type.
    case all
    /// The entities that satisfy a condition.
    case matching(Condition)
  }

  /// Creates a mapping.
  ///
  /// - Parameters:
  ///   - name: the mapping's name, for other mappings and for calls.
  ///   - entity: the type of the entities; the name if nil.
  ///   - identification: the property that identifies an entity.
  ///   - types: the kinds to which values are converted.
  ///   - completeness: the entities for which a document is complete.
  ///   - clearsMissing: whether a property whose key an object lacks is removed.
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

  /// The attribute with the identifying value, if there is one.
  var identifyingAttribute: Attribute? {
    identification.flatMap { key in attributes.last { $0.key == key } }
  }
}
