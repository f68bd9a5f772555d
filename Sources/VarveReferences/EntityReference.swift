public import VarveCore

/// A way to find an entity: by identifier, by the value of a property, or by several ways in order.
/// It is looked up when it is used, and may describe what to create if nothing is found.
///
/// A reference is a lightweight, immutable value that is bound to no store and caches no lookup. If
/// a reference found nothing once, it is looked up again the next time.
///
/// ```swift
/// let ann = EntityReference("name", equals: "Ann").creating("person", ["age": 30])
/// let book = EntityReference("test-book").creating("book")
/// try await store.set([ann.updating(["reads": .to(book), .keyed("author", by: book): true])])
/// ```
///
/// Two references with identifiers are equal if their identifiers are, whatever else differs. Two
/// references without identifiers are equal if they search for the same thing.
public struct EntityReference: Sendable {
  /// The search for the entity.
  package indirect enum Matcher: Hashable, Sendable {
    case nothing
    case id(EntityID)
    case property(PropertyKey, Value)
    case anyOf([EntityReference])
  }

  /// The description of the entity to create if none is found.
  package struct Creation: Sendable {
    package let type: EntityType
    package let prototype: String?
    package let initial: NewProperties
  }

  package let matcher: Matcher
  package private(set) var creation: Creation?
  /// The required type of the entity; nil for any.
  public private(set) var expectedType: EntityType?
  /// The properties that `Writing.set(_:at:)` and `Writing.update(_:at:)`
  /// write. Reads through this reference return these properties instead of the stored ones.
  public private(set) var updates: NewProperties = [:]

  package init(_ matcher: Matcher) { self.matcher = matcher }

  /// Creates a reference to the live entity with an identifier.
  public init(_ id: EntityID) { self.init(.id(id)) }

  /// Creates a reference to an entity that was found before, as long as it lives.
  public init(_ found: some EntityHandle) { self.init(.id(found.id)) }

  /// Creates a reference to the live entity whose property has exactly this value now, of the same
  /// kind. If there are several, it finds the one created first.
  ///
  /// The key `identifier` is the entity's own: a string or a reference under it finds that entity.
  /// Prototypes are found only if their type is requested.
  public init(_ key: PropertyKey, equals value: Value) {
    switch (key, value) {
    case ("identifier", .reference(let id)): self.init(id)
    case ("identifier", .string(let text)):
      if let id = try? EntityID(text) { self.init(id) } else { self.init(.nothing) }
    default: self.init(.property(key, value))
    }
  }

  /// Returns a reference to the entity that the first successful one of these finds. References may
  /// be nested ``maximumDepth`` deep; using deeper ones throws `invalidArgument`.
  public static func anyOf(_ references: [EntityReference]) -> EntityReference {
    EntityReference(.anyOf(references))
  }

  /// A reference that never finds anything.
  public static let null = EntityReference(.nothing)

  /// Returns a reference that creates a new entity each time it is used.
  public static func new(
    _ type: EntityType,
    prototype: String? = nil,
    _ properties: NewProperties = [:]
  ) -> EntityReference {
    null.creating(type, prototype: prototype, properties)
  }

  /// The identifier, if the reference has one.
  public var id: EntityID? { if case .id(let id) = matcher { id } else { nil } }

  /// Whether using the reference may create an entity.
  package var mayCreate: Bool {
    if creation != nil { return true }
    if case .anyOf(let references) = matcher { return references.contains(where: \.mayCreate) }
    return false
  }
}

extension EntityReference {
  /// Returns the reference with the creation of a missing entity.
  ///
  /// The entity gets the identifier or the values searched for. They take precedence over initial
  /// properties with the same keys. Three keys are special: `identifier`, a string or a reference,
  /// sets the entity's identifier; `datestamp`, a date, sets its creation date; `type` may repeat
  /// the type. Another value of these keys is `invalidArgument`.
  ///
  /// If the entity exists, type and properties are ignored. A value is searched for among entities
  /// of this type.
  ///
  /// - Parameters:
  ///   - type: the type of the created entity.
  ///   - prototype: the name of a ``Prototype`` of the type, whose values are overridden by the
  ///     others.
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

  /// Returns the reference with a required type. Finding an entity of another type is
  /// `typeMismatch`.
  public func expecting(_ type: EntityType) -> EntityReference {
    var reference = self
    reference.expectedType = type
    return reference
  }

  /// Returns the reference with properties to write, which replace its present ones.
  public func updating(_ properties: NewProperties) -> EntityReference {
    var reference = self
    reference.updates = properties
    return reference
  }
}

extension EntityReference: Hashable, ExpressibleByStringLiteral {
  /// Creates a reference to the live entity with an identifier. Traps if its length is illegal.
  public init(stringLiteral value: String) { self.init(EntityID(stringLiteral: value)) }

  /// Returns whether the identifiers are equal or, without identifiers, the searches.
  public static func == (left: EntityReference, right: EntityReference) -> Bool {
    guard left.id == nil || right.id == nil else { return left.id == right.id }
    return left.matcher == right.matcher && left.creation?.type == right.creation?.type
  }

  /// Hashes the identifier or the search.
  public func hash(into hasher: inout Hasher) { hasher.combine(matcher) }
}
