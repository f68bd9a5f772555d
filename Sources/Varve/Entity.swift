/// Makes a struct a model, whose values are stored as entities.
///
/// ```swift
/// @Entity struct Hat {
///   var id = Identifier<Hat>()
///   @Field(.length(1...40)) var color: String
///   @Field("brim_size", .range(5...15)) var brimSize: Int
///   var shop: Ref<Shop>?
///   var createdAt: Date?  // filled by the first save
///   var updatedAt: Date?  // filled by every save
/// }
/// ```
///
/// The macro adds the conformance to ``Persistable``; the struct keeps its memberwise initialiser.
/// Every settable stored property is stored under its own name, unless it is marked
/// ``Transient()``. A property without a value in a row is nil, or has its default value; if it is
/// not optional and has no default value, fetches omit the row.
///
/// Two values are equal if their identifiers are equal. If the struct names `Equatable` or
/// `Hashable` and does not declare `==`, the macro generates a `==` that compares all stored
/// properties, and for `Hashable` a `hash(into:)` of them.
/// ``Persistable/isSameEntity(as:)`` compares identifiers in any case.
///
/// In modules whose declarations belong to the main actor by default, write `@Entity nonisolated
/// struct Hat`, or name the conformance: `@Entity struct Hat: Persistable`.
///
/// - Parameters:
///   - type: the type label of the entities, which is the name of their table; by default the
///     plural of the struct's name with underscores: `order_lines` for `OrderLine`.
///   - model: the name of one entity in messages; by default the struct's name with underscores.
///   - renamedFrom: the type labels that the model had before. Their entities are read and saved as
///     this model.
///   - uniqueTogether: lists of properties whose values must be unique together.
///   - indexedTogether: lists of properties that have an index together, the first with precedence.
@attached(
  member,
  names: named(schema),
  named(write(to:)),
  named(==),
  named(hash(into:))
)
@attached(extension, conformances: Persistable, names: named(init(row:)))
public macro Entity(
  _ type: EntityType? = nil,
  model: String? = nil,
  renamedFrom: [EntityType] = [],
  uniqueTogether: [[String]] = [],
  indexedTogether: [[String]] = []
) = #externalMacro(module: "VarveMacros", type: "EntityMacro")

/// Makes a class one of live objects, whose instances are stored as entities of a kind.
///
/// ```swift
/// @Entity(kind: "Shape") class Shape {
///   init() {}
/// }
///
/// @Entity(kind: "Square") final class Square: Shape {
///   var side: Double
///   var color = "black"
///
///   init(side: Double) {
///     self.side = side
///     super.init()
///   }
/// }
/// ```
///
/// The macro adds the conformance to ``StoredObject``, and an ``Objects`` context loads and saves
/// the instances. Every settable stored property is stored, under its own name or that of
/// ``Field(_:_:)``, unless it is marked ``Transient()``. References to other objects are ``Child``
/// or ``Lazy``; `@Relation(.owns)` makes their targets die with the object. The superclass must be
/// declared with the macro, too, or not be stored. The macro adds an identifier unless the class
/// declares `id`. The class needs an initialiser of its own, because the macro adds one that reads
/// rows. `@Observable` can be combined with it. The class may be nested, a subclass of such a
/// class, or isolated to a global actor whose name ends in `Actor`; it cannot be generic.
///
/// - Parameter kind: the type label of the entities, which may differ from the name of the class.
@attached(
  member,
  conformances: StoredObject,
  names: named(kind),
  named(id),
  named(init(row:)),
  named(read),
  named(write(to:)),
  named(storedProperties),
  named(storedProperties(of:))
)
@attached(extension, conformances: StoredObject)
public macro Entity(kind: EntityType) = #externalMacro(module: "VarveMacros", type: "ClassMacro")
