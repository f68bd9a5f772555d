/// Sets options of a property of an
/// ``Entity(_:model:renamedFrom:uniqueTogether:indexedTogether:)``.
///
/// ```swift
/// @Field(.length(1...40), .unique) var name: String
/// ```
@attached(peer)
public macro Field(_ options: FieldOption...) =
  #externalMacro(module: "VarveMacros", type: "FieldMacro")

/// Sets the stored name and the options of a property of an
/// ``Entity(_:model:renamedFrom:uniqueTogether:indexedTogether:)``.
///
/// ```swift
/// @Field("brim_size", .range(5...15)) var brimSize: Int
/// ```
///
/// - Parameters:
///   - storedName: the name, as a string literal.
///   - options: rules, indexes and other options.
@attached(peer)
public macro Field(_ storedName: String, _ options: FieldOption...) =
  #externalMacro(module: "VarveMacros", type: "FieldMacro")

/// Sets how a ``Ref`` or a ``Many`` relates the entities of an
/// ``Entity(_:model:renamedFrom:uniqueTogether:indexedTogether:)``.
///
/// ```swift
/// @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
/// ```
///
/// In a class, `@Relation(.owns)` makes an object own the targets of a ``Child`` or a ``Lazy``, or
/// of a list of these.
///
/// - Parameters:
///   - kind: the ownership: with `owns` the target dies with this entity, with `ownedBy` this
///     entity dies with the target; nil for a plain reference.
///   - inverse: the property of the targets that refers back, as a key path with its type: the
///     ``Many`` then contains the entities that refer to this one.
///   - collection: the kind of collection of a ``Many`` without an inverse.
@attached(peer)
public macro Relation(
  _ kind: RelationKind? = nil,
  inverse: (any AnyKeyPath & Sendable)? = nil,
  as collection: CollectionKind = .orderedSet
) = #externalMacro(module: "VarveMacros", type: "RelationMacro")

/// Excludes a property from storage, of an
/// ``Entity(_:model:renamedFrom:uniqueTogether:indexedTogether:)``. Fetched models have its default
/// value.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
@attached(peer)
public macro Transient() = #externalMacro(module: "VarveMacros", type: "TransientMacro")
