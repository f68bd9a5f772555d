/// Makes a model of a struct: its values are kept in a store, as entities.
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
/// The struct conforms to ``Persistable`` by it and keeps its memberwise initialiser. Every stored
/// property that can be set is one of the model, under its own name, unless it is marked
/// ``Transient()``; what rows are missing is nil, or the property's default value, or leaves the row
/// out of what is fetched.
///
/// In modules whose declarations belong to the main actor by default, write
/// `@Entity nonisolated struct Hat`, or name the conformance: `@Entity struct Hat: Persistable`.
///
/// - Parameters:
///   - type: the type label of the entities, which is the name of their table; the plural of the
///     struct's name with underscores where none is given: `order_lines` for `OrderLine`.
///   - model: what messages call one of them; the struct's name with underscores where none is
///     given.
///   - uniqueTogether: lists of properties; no two entities may have the same values of all in one.
@attached(member, names: named(schema), named(write(to:)))
@attached(extension, conformances: Persistable, names: named(init(row:)))
public macro Entity(
  _ type: EntityType? = nil,
  model: String? = nil,
  uniqueTogether: [[String]] = []
) = #externalMacro(module: "VarveMacros", type: "EntityMacro")

/// Makes a class one of live objects: its instances are kept in a store, as entities of a kind.
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
/// The class conforms to ``StoredObject`` by it, and an ``Objects`` context loads and saves its
/// instances. Every stored property that can be set is stored, under its own name or that of
/// ``Field(_:_:)``, unless it is marked ``Transient()``. What it refers to is a ``Child`` or a ``Lazy``.
/// The class gets an identifier unless it declares `id` itself; it needs an initialiser of its own,
/// for it gets one that reads rows. `@Observable` can stand beside it. A class may be nested, below
/// other such classes, or of a global actor whose name ends in `Actor`; it cannot be generic.
///
/// - Parameter kind: the type label of the entities; it need not be the name of the class.
@attached(
  member,
  conformances: StoredObject,
  names: named(kind),
  named(id),
  named(init(row:)),
  named(read),
  named(write(to:))
)
@attached(extension, conformances: StoredObject)
public macro Entity(kind: EntityType) = #externalMacro(module: "VarveMacros", type: "ClassMacro")
