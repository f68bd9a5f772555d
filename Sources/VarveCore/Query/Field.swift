/// Something of an entity that a query can read: a property, the identifier or a time.
///
/// ```swift
/// let query = Query("Hat").where(Field("brim_size") > 10 && Field("color") == "red")
/// ```
public enum Field: Hashable, Sendable {
  /// A property.
  case property(PropertyKey)
  /// The identifier, a string.
  case identifier
  /// The date on which the entity was first added.
  case datestamp
  /// The date on which the entity last changed.
  case modified
  /// The first of several properties that is present: the current name of a property, and its names
  /// in older versions of a model.
  case firstOf(PropertyKey, [PropertyKey])
  /// A field of another type that the query joins.
  indirect case joined(EntityType, Field)
  /// A field interpreted as a decimal number: a text such as Foundation's `Decimal` is stored as,
  /// an integer or a double. The number compares, sorts and adds up by its exact value. A value
  /// that is not a number is not comparable, and sorts with missing values.
  ///
  /// ```swift
  /// let dear = Query("products").where(.decimal(Field("price")) > "9.99")
  /// ```
  indirect case decimal(Field)
  /// A field whose texts compare without regard to case; see ``ignoringCase``.
  indirect case folded(Field)
  /// A value inside an array or a dictionary; see ``subscript(_:)-(PropertyKey)``.
  indirect case inside(Field, [ValueStep])
  /// A field of the related entity, or of the first created if there are several; see
  /// ``target(_:_:)``.
  indirect case ofRelated(Field, RelatedEntities)
  /// A value computed from the related entities; see ``RelatedEntities``.
  indirect case aggregate(Aggregation, RelatedEntities)

  /// How well the words of a full-text search describe the texts of some properties: a number that
  /// is greater if they are rarer in all texts and more frequent in these, by the formula BM25.
  /// Missing if none of the words occurs. It is computed over the entities of the query's type in
  /// the state that is read.
  case relevance(String, [Field])

  /// Creates a field for the property with a key.
  public init(_ key: PropertyKey) { self = .property(key) }

  /// Returns a field of a type that a query joins.
  public static func of(_ type: EntityType, _ field: Field) -> Field { field.qualified(by: type) }
}

/// A comparison between a field and a value.
public enum Comparison: String, Hashable, Sendable, CaseIterable {
  /// The same value.
  case equal = "="
  /// Another value of the same rank.
  case notEqual = "!="
  /// Before the value.
  case less = "<"
  /// Before the value, or the same.
  case lessOrEqual = "<="
  /// After the value.
  case greater = ">"
  /// After the value, or the same.
  case greaterOrEqual = ">="
}

/// A condition on an entity, as a value.
///
/// Numbers compare as numbers, whether integer or double; a value of any other kind compares only
/// with values of its own kind. A property of another kind, a missing property and a NaN satisfy no
/// comparison, not even `!=`. Texts compare by their UTF-8 bytes.
public indirect enum Condition: Hashable, Sendable {
  /// Always satisfied.
  case always
  /// The field has a value that satisfies the comparison.
  case compare(Field, Comparison, Value)
  /// Two fields of one row have values that satisfy the comparison. If one of them is a decimal
  /// number or ignores case, so does the other. An identifier compares with references and texts by
  /// its text.
  case compareFields(Field, Comparison, Field)
  /// The field equals one of the values.
  case isIn(Field, [Value])
  /// The field is a string that begins with the text.
  case hasPrefix(Field, String)
  /// The field is a string that contains the text.
  case contains(Field, String)
  /// The field is an array with an element that equals the value.
  case includes(Field, Value)
  /// The field has no value.
  case isMissing(Field)
  /// There is a related entity.
  case exists(RelatedEntities)
  /// The field sorts before, with or after a value, or a missing value if the value is nil; see
  /// ``Query/Ordering``. Unlike a comparison, the result is always true or false.
  case sorts(Field, Comparison, Value?)
  /// The fields together contain all words of a full-text search. A word that ends in `*` stands
  /// for all words with this prefix, and words in double quotes for themselves in a row.
  case matches(String, [Field])
  /// An SQL expression holds, with values for its placeholders. Tables and columns have the names
  /// they have in the store (`sql`).
  case sql(String, [Value])
  /// The condition does not hold.
  case not(Condition)
  /// All conditions hold.
  case and([Condition])
  /// At least one condition holds.
  case or([Condition])
}

extension Field {
  /// The field equals the value, or is missing if the value is nil.
  public static func == (field: Field, value: Value?) -> Condition {
    value.map { .compare(field, .equal, $0) } ?? .isMissing(field)
  }
  /// The field has a comparable value that differs from the value, or any value if the value is nil.
  public static func != (field: Field, value: Value?) -> Condition {
    value.map { .compare(field, .notEqual, $0) } ?? .not(.isMissing(field))
  }
  /// The field is less than the value.
  public static func < (field: Field, value: Value) -> Condition { .compare(field, .less, value) }
  /// The field is at most the value.
  public static func <= (field: Field, value: Value) -> Condition {
    .compare(field, .lessOrEqual, value)
  }
  /// The field is greater than the value.
  public static func > (field: Field, value: Value) -> Condition {
    .compare(field, .greater, value)
  }
  /// The field is at least the value.
  public static func >= (field: Field, value: Value) -> Condition {
    .compare(field, .greaterOrEqual, value)
  }

  /// The field equals one of the values.
  public func isIn(_ values: [Value]) -> Condition { .isIn(self, values) }
  /// The field is a string that begins with the text.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(self, text) }
  /// The field is a string that contains the text.
  public func contains(_ text: String) -> Condition { .contains(self, text) }
  /// The field is an array with an element that equals the value.
  public func includes(_ value: Value) -> Condition { .includes(self, value) }
  /// The field has no value.
  public var isMissing: Condition { .isMissing(self) }
}

extension Condition {
  /// Both conditions hold.
  public static func && (left: Condition, right: Condition) -> Condition {
    .and(JoinedParts.of(left, right) { if case .and(let parts) = $0 { parts } else { nil } })
  }
  /// At least one condition holds.
  public static func || (left: Condition, right: Condition) -> Condition {
    .or(JoinedParts.of(left, right) { if case .or(let parts) = $0 { parts } else { nil } })
  }
  /// The condition does not hold.
  public static prefix func ! (condition: Condition) -> Condition { .not(condition) }
}
