public import VarveCore

/// A way to name an entity: by identifier, by the value of a property, or by several ways in order.
/// It is looked up when it is used, and may say what to create where nothing is found.
///
/// A reference is a value: light, immutable, bound to no store, never changed by being looked up.
/// One that found nothing once is looked up again the next time.
///
/// ```swift
/// let ann = EntityReference("name", equals: "Ann").creating("person", ["age": 30])
/// let book = EntityReference("test-book").creating("book")
/// try await store.add([ann.updating(["reads": .to(book), .keyed("author", by: book): true])])
/// ```
///
/// Two references are equal if they name the same identifier, whatever else they say; those without
/// one if they search for the same.
public struct EntityReference: Sendable {
  /// What is searched for.
  package indirect enum Matcher: Hashable, Sendable {
    case nothing
    case id(EntityID)
    case property(PropertyKey, Value)
    case anyOf([EntityReference])
  }

  /// What is created where nothing is found.
  package struct Creation: Sendable {
    package let type: EntityType
    package let prototype: String?
    package let initial: NewProperties
  }

  package let matcher: Matcher
  package private(set) var creation: Creation?
  /// The type the entity must have; nil for any.
  public private(set) var expectedType: EntityType?
  /// What ``Transaction/add(_:at:)`` and ``Transaction/update(_:at:)`` write, and what reads through
  /// this reference show instead of what is stored.
  public private(set) var updates: NewProperties = [:]

  package init(_ matcher: Matcher) { self.matcher = matcher }

  /// The live entity of an identifier.
  public init(_ id: EntityID) { self.init(.id(id)) }

  /// The entity that was found before, as long as it lives.
  public init(_ found: some EntityHandle) { self.init(.id(found.id)) }

  /// The live entity whose property has this very value now: no other kind, and no former value.
  /// Of several, the one created first.
  ///
  /// `identifier` is the entity's own: a text or a reference under it names that entity. Prototypes
  /// are found only where their type is asked for.
  public init(_ key: PropertyKey, equals value: Value) {
    switch (key, value) {
    case ("identifier", .reference(let id)): self.init(id)
    case ("identifier", .string(let text)):
      if let id = try? EntityID(text) { self.init(id) } else { self.init(.nothing) }
    default: self.init(.property(key, value))
    }
  }

  /// What the first of these finds that finds anything. References may be nested
  /// ``maximumDepth`` deep; using deeper ones throws `invalidArgument`.
  public static func anyOf(_ references: [EntityReference]) -> EntityReference {
    EntityReference(.anyOf(references))
  }

  /// Nothing, always.
  public static let null = EntityReference(.nothing)

  /// A new entity each time it is used: there is nothing to search for.
  public static func new(
    _ type: EntityType,
    prototype: String? = nil,
    _ properties: NewProperties = [:]
  ) -> EntityReference {
    null.creating(type, prototype: prototype, properties)
  }

  /// The identifier it names, if it names one.
  public var id: EntityID? { if case .id(let id) = matcher { id } else { nil } }

  /// Whether using it may create something.
  package var mayCreate: Bool {
    if creation != nil { return true }
    if case .anyOf(let references) = matcher { return references.contains(where: \.mayCreate) }
    return false
  }
}

extension EntityReference {
  /// The same, creating what is not found.
  ///
  /// The entity gets the identifier or the values searched for, which win over initial properties
  /// of the same keys. `identifier`, a text or a reference, and `datestamp`, a date, among these set
  /// the entity's own, and `type` may repeat the type; anything else under these names is
  /// `invalidArgument`. Where the entity exists, type and properties are ignored. A value is searched for among entities of
  /// this type.
  ///
  /// - Parameters:
  ///   - type: the type of what is created.
  ///   - prototype: the name of a ``Prototype`` of the type, whose values come first.
  ///   - properties: the initial properties.
  public func creating(
    _ type: EntityType,
    prototype: String? = nil,
    _ properties: NewProperties = [:]
  ) -> EntityReference {
    var reference = self
    reference.creation = Creation(type: type, prototype: prototype, initial: properties)
    return reference
  }

  /// The same for an entity that must be of a type: finding another is `typeMismatch`.
  public func expecting(_ type: EntityType) -> EntityReference {
    var reference = self
    reference.expectedType = type
    return reference
  }

  /// The same with properties to write; they replace those there were.
  public func updating(_ properties: NewProperties) -> EntityReference {
    var reference = self
    reference.updates = properties
    return reference
  }
}

extension EntityReference: Hashable, ExpressibleByStringLiteral {
  /// The live entity of an identifier; an illegal length is a programmer error and traps.
  public init(stringLiteral value: String) { self.init(EntityID(stringLiteral: value)) }

  /// Equality of identifiers, or of what is searched for.
  public static func == (left: EntityReference, right: EntityReference) -> Bool {
    guard left.id == nil || right.id == nil else { return left.id == right.id }
    return left.matcher == right.matcher && left.creation?.type == right.creation?.type
  }

  /// Hashes the identifier, or what is searched for.
  public func hash(into hasher: inout Hasher) { hasher.combine(matcher) }
}
