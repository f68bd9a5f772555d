import Synchronization
public import VarveCore
public import VarveEntities

/// An option of a property in a schema, such as a rule or an index.
///
/// ```swift
/// SchemaField("brim_size", \.brimSize, .range(5...15), .index)
/// ```
public struct FieldOption: Sendable {
  enum Content: Sendable {
    case unique
    case index
    case searchable(SearchTokenizer)
    case createdAt
    case updatedAt
    case renamed([PropertyKey])
    case converted(@Sendable (Value) -> Value?)
    case required
    case range(RangeOption)
    case length(LengthOption)
    case pattern(SharedPattern)
    case check(@Sendable (Validation, String, Value?) -> Validation)
    case relation(RelationOption)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// No other entity of the type may have the same value. Checked by local saves.
  public static let unique = FieldOption(.unique)

  /// An index makes queries that compare the property fast, because they need not examine every
  /// entity.
  public static let index = FieldOption(.index)

  /// Full-text search finds words in the property.
  public static let searchable = FieldOption(.searchable(.words))

  /// Full-text search finds words in the property, as a tokenizer cuts its texts into words.
  ///
  /// ```swift
  /// @Field(.searchable(.substrings)) var code: String
  /// ```
  public static func searchable(_ tokenizer: SearchTokenizer) -> FieldOption {
    FieldOption(.searchable(tokenizer))
  }

  /// Saving the entity for the first time sets the date, unless it has a value. For properties of
  /// type `Date?`.
  public static let createdAt = FieldOption(.createdAt)

  /// Every save sets the date. For properties of type `Date?`.
  public static let updatedAt = FieldOption(.updatedAt)

  /// The names of the property in older versions of the model, latest first. If the property is
  /// missing, these are read, also by queries. A save moves the value to the present name.
  public static func renamed(from names: String...) -> FieldOption {
    FieldOption(.renamed(names.map { PropertyKey($0) }))
  }

  /// Converts a value of another kind, which another version of the model wrote. Queries see the
  /// stored values.
  public static func converted(_ convert: @escaping @Sendable (Value) -> Value?) -> FieldOption {
    FieldOption(.converted(convert))
  }

  /// The value must be present, and not an empty text.
  public static let required = FieldOption(.required)

  /// A number, date or text must be within a range. A missing value is allowed. Numbers of all
  /// types compare as numbers.
  ///
  /// ```swift
  /// SchemaField("brim_size", \.brimSize, .range(5...15))
  /// ```
  ///
  /// If the property's type alone does not determine the kind of its values, such as a `Codable`
  /// type, a value that does not compare with the range's ends is a `mismatch`.
  public static func range<Bound: OrderedValue>(_ range: some LimitedRange<Bound>) -> FieldOption {
    FieldOption(.range(RangeOption(range)))
  }

  /// The length of a text in characters, of data in bytes or of a collection in elements must be
  /// within a range. A missing value is allowed.
  public static func length(_ range: some LimitedRange<Int> & Sendable) -> FieldOption {
    FieldOption(.length(LengthOption(range)))
  }

  /// The whole text must match a regular expression in Swift's syntax. A missing value is allowed.
  ///
  /// If the expression is invalid, every save throws `invalidArgument`.
  public static func pattern(_ pattern: String) -> FieldOption {
    FieldOption(.pattern(SharedPattern(pattern)))
  }

  /// The value must pass a check; otherwise the error has the message.
  ///
  /// ```swift
  /// SchemaField("brim_size", \.brimSize, .check("odd") { ($0?.intValue ?? 0) % 2 == 0 })
  /// ```
  public static func check(
    _ message: String,
    _ passes: @escaping @Sendable (Value?) -> Bool
  ) -> FieldOption {
    FieldOption(.check { passes($2) ? $0 : $0.adding(key: $1, message: message) })
  }

  /// The relation of a ``Ref`` or a ``Many``.
  ///
  /// - Parameters:
  ///   - kind: the ownership: with `owns` the target dies with this entity, with `ownedBy` this
  ///     entity dies with the target; nil for a reference without ownership.
  ///   - inverse: the target's property that refers back. A ``Many`` then contains the entities
  ///     that refer to its owner.
  ///   - collection: the kind of collection of a ``Many`` without an inverse.
  public static func relation(
    _ kind: RelationKind? = nil,
    inverse: (any AnyKeyPath & Sendable)? = nil,
    as collection: CollectionKind = .orderedSet
  ) -> FieldOption {
    FieldOption(.relation(RelationOption(kind: kind, inverse: inverse, collection: collection)))
  }
}

/// A regular expression, parsed once. Matching fills internal caches, so only one task uses it at a
/// time.
final class SharedPattern: Sendable {
  private let text: String
  private let parsed = Mutex<Parsed>(Parsed())

  private struct Parsed { var regex: Regex<AnyRegexOutput>? }

  init(_ text: String) { self.text = text }

  func check(_ validation: Validation, _ key: String, _ value: String?) throws -> Validation {
    try parsed.withLock { parsed in
      if let regex = parsed.regex { return validation.pattern(of: key, value, regex) }
      let checked = try validation.pattern(of: key, value ?? "", text)
      parsed.regex = try? Regex(text)
      return value == nil ? validation : checked
    }
  }
}

/// The allowed lengths.
struct LengthOption: Sendable {
  let least: Int?
  /// The maximum length.
  let greatest: Int?

  init(_ range: some LimitedRange<Int>) {
    least = range.leastBound
    greatest = range.greatestBound.map { range.excludesGreatestBound ? $0 - 1 : $0 }
  }
}

/// The relation of a property.
struct RelationOption: Sendable {
  var kind: RelationKind?
  var inverse: (any AnyKeyPath & Sendable)?
  var collection: CollectionKind = .orderedSet
}
