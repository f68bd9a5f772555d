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
