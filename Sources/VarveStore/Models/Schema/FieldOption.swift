import Synchronization
public import VarveCore

/// What a schema says of a property beyond its name.
///
/// ```swift
/// SchemaField("brim_size", \.brimSize, .range(5...15), .index)
/// ```
public struct FieldOption: Sendable {
  enum Content: Sendable {
    case unique
    case index
    case searchable
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

  /// Queries that compare the property need not look at every entity.
  public static let index = FieldOption(.index)

  /// Full-text search finds the words of the property.
  public static let searchable = FieldOption(.searchable)

  /// Set when the entity is first saved, unless it has a value. For properties of type `Date?`.
  public static let createdAt = FieldOption(.createdAt)

  /// Set by every save. For properties of type `Date?`.
  public static let updatedAt = FieldOption(.updatedAt)

  /// What the property was called in older versions of the model, the latest first. It is read where
  /// the property is missing, and queries look there; a save moves it.
  public static func renamed(from names: String...) -> FieldOption {
    FieldOption(.renamed(names.map { PropertyKey($0) }))
  }

  /// Makes of a value of another kind, written by another version of the model, one of this. Queries
  /// see values as they were written.
  public static func converted(_ convert: @escaping @Sendable (Value) -> Value?) -> FieldOption {
    FieldOption(.converted(convert))
  }

  /// There must be a value, and no empty text.
  public static let required = FieldOption(.required)

  /// A number, date or text must lie in a range; nothing may. Numbers of all types compare as numbers.
  ///
  /// ```swift
  /// SchemaField("brim_size", \.brimSize, .range(5...15))
  /// ```
  ///
  /// Values of a type that only a value tells apart, a `Codable` one, say, are a `mismatch` where they do
  /// not compare with the range's ends.
  public static func range<Bound: OrderedValue>(_ range: some LimitedRange<Bound>) -> FieldOption {
    FieldOption(.range(RangeOption(range)))
  }

  /// A text must have so many characters, data so many bytes, a collection so many elements; nothing
  /// may.
  public static func length(_ range: some LimitedRange<Int> & Sendable) -> FieldOption {
    FieldOption(.length(LengthOption(range)))
  }

  /// The whole of a text must match a regular expression in Swift's syntax; nothing may.
  ///
  /// An expression that is none makes every save throw `invalidArgument`.
  public static func pattern(_ pattern: String) -> FieldOption {
    FieldOption(.pattern(SharedPattern(pattern)))
  }

  /// The value must pass; else the error has this message.
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

  /// How a ``Ref`` or a ``Many`` relates the entities.
  ///
  /// - Parameters:
  ///   - kind: what becomes of the target: `owns` lets it die with this, `ownedBy` lets this die
  ///     with it; nil for a reference alone.
  ///   - inverse: the target's property that refers back: what a ``Many`` holds is then what
  ///     refers to it.
  ///   - collection: how a ``Many`` without an inverse is taken.
  public static func relation(
    _ kind: RelationKind? = nil,
    inverse: (any AnyKeyPath & Sendable)? = nil,
    as collection: CollectionKind = .orderedSet
  ) -> FieldOption {
    FieldOption(.relation(RelationOption(kind: kind, inverse: inverse, collection: collection)))
  }
}

/// A regular expression, parsed once. Matching fills caches of its own, so one task at a time.
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

/// How long something may be.
struct LengthOption: Sendable {
  let least: Int?
  /// The most that is allowed.
  let greatest: Int?

  init(_ range: some LimitedRange<Int>) {
    least = range.leastBound
    greatest = range.greatestBound.map { range.excludesGreatestBound ? $0 - 1 : $0 }
  }
}

/// How a property relates entities.
struct RelationOption: Sendable {
  var kind: RelationKind?
  var inverse: (any AnyKeyPath & Sendable)?
  var collection: CollectionKind = .orderedSet
}
