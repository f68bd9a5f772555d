/// Says of a property of an ``Entity(_:model:uniqueTogether:)`` what its name and type do not.
///
/// ```swift
/// @Field(.length(1...40), .unique) var name: String
/// ```
@attached(peer)
public macro Field(_ options: FieldOption...) =
  #externalMacro(module: "VarveMacros", type: "FieldMacro")

/// Says under which name a property of an ``Entity(_:model:uniqueTogether:)`` is stored.
///
/// ```swift
/// @Field("brim_size", .range(5...15)) var brimSize: Int
/// ```
///
/// - Parameters:
///   - storedName: the name, as a string literal.
///   - options: rules, index and the like.
@attached(peer)
public macro Field(_ storedName: String, _ options: FieldOption...) =
  #externalMacro(module: "VarveMacros", type: "FieldMacro")

/// Says how a ``Ref`` or a ``Many`` of an ``Entity(_:model:uniqueTogether:)`` relates the entities.
///
/// ```swift
/// @Relation(.owns, inverse: \Hat.shop) var hats: Many<Hat> = Many()
/// ```
///
/// - Parameters:
///   - kind: what becomes of the target: `owns` lets it die with this, `ownedBy` lets this die with
///     it; nil for a reference alone.
///   - inverse: the property of the targets that refers back, as a key path with its type: what a
///     ``Many`` holds is then what refers to it.
///   - collection: how a ``Many`` without an inverse is taken.
@attached(peer)
public macro Relation(
  _ kind: RelationKind? = nil,
  inverse: (any AnyKeyPath & Sendable)? = nil,
  as collection: CollectionKind = .orderedSet
) = #externalMacro(module: "VarveMacros", type: "RelationMacro")

/// Leaves a property of an ``Entity(_:model:uniqueTogether:)`` out of what is stored. Models that are
/// read have its default value.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
@attached(peer)
public macro Transient() = #externalMacro(module: "VarveMacros", type: "TransientMacro")
