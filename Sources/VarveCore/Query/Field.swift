/// What a query can look at in an entity.
///
/// ```swift
/// let query = Query("Hat").where(Field("brim_size") > 10 && Field("color") == "red")
/// ```
public enum Field: Hashable, Sendable {
  /// A property.
  case property(PropertyKey)
  /// The identifier, a string.
  case identifier
  /// When the entity was first added, a date.
  case datestamp
  /// When the entity last changed, a date.
  case modified
  /// The first property of several that is there: one, and what it was called in older versions of
  /// a model.
  case firstOf(PropertyKey, [PropertyKey])
  /// A field of another type that the query joins.
  indirect case joined(EntityType, Field)
  /// A field taken for a decimal number: a text that says one, as Foundation's `Decimal` is stored,
  /// or an integer or a double. It compares, sorts and adds up by its exact value; what says no number
  /// compares with nothing, and comes with what is missing in an order.
  ///
  /// ```swift
  /// let dear = Query("products").where(.decimal(Field("price")) > "9.99")
  /// ```
  indirect case decimal(Field)

  /// The property of a key.
  public init(_ key: PropertyKey) { self = .property(key) }

  /// The field of a type that a query joins.
  public static func of(_ type: EntityType, _ field: Field) -> Field { .joined(type, field) }
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
/// Numbers compare as numbers, whether integer or double; every other kind compares only with its
/// own: a property of another kind, a missing property and a NaN satisfy no comparison, `!=`
/// included. Texts compare by their UTF-8 bytes.
public indirect enum Condition: Hashable, Sendable {
  /// Always satisfied.
  case always
  /// The field has a value that compares so.
  case compare(Field, Comparison, Value)
  /// The field equals one of the values.
  case isIn(Field, [Value])
  /// The field is a string that begins so.
  case hasPrefix(Field, String)
  /// The field is a string that contains this.
  case contains(Field, String)
  /// The field has no value.
  case isMissing(Field)
  /// The field comes so in an order (``Query/Ordering``) as a value would, or nothing. Unlike a
  /// comparison it always holds or does not.
  case sorts(Field, Comparison, Value?)
  /// One of the fields contains the words of a full-text search; present states only.
  case matches(String, [Field])
  /// What an SQL expression says, its placeholders bound to values. It names tables and columns as
  /// they are called in the store (``Query/sql``).
  case sql(String, [Value])
  /// The condition does not hold.
  case not(Condition)
  /// All hold.
  case and([Condition])
  /// One holds.
  case or([Condition])
}

extension Field {
  /// The field equals the value.
  public static func == (field: Field, value: Value) -> Condition {
    .compare(field, .equal, value)
  }
  /// The field has a comparable value, and another one.
  public static func != (field: Field, value: Value) -> Condition {
    .compare(field, .notEqual, value)
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
  /// The field is a string that begins so.
  public func hasPrefix(_ text: String) -> Condition { .hasPrefix(self, text) }
  /// The field is a string that contains this.
  public func contains(_ text: String) -> Condition { .contains(self, text) }
  /// The field has no value.
  public var isMissing: Condition { .isMissing(self) }

  /// The field equals the value; or, of nil, is missing.
  public func eq(_ value: Value?) -> Condition {
    value.map { .compare(self, .equal, $0) } ?? .isMissing(self)
  }
  /// The field has another value; or, of nil, has one.
  public func ne(_ value: Value?) -> Condition {
    value.map { .compare(self, .notEqual, $0) } ?? .not(.isMissing(self))
  }
  /// The field is less than the value.
  public func lt(_ value: Value) -> Condition { .compare(self, .less, value) }
  /// The field is at most the value.
  public func le(_ value: Value) -> Condition { .compare(self, .lessOrEqual, value) }
  /// The field is greater than the value.
  public func gt(_ value: Value) -> Condition { .compare(self, .greater, value) }
  /// The field is at least the value.
  public func ge(_ value: Value) -> Condition { .compare(self, .greaterOrEqual, value) }
}

extension Condition {
  /// Both hold.
  public static func && (left: Condition, right: Condition) -> Condition { .and([left, right]) }
  /// One holds.
  public static func || (left: Condition, right: Condition) -> Condition { .or([left, right]) }
  /// The condition does not hold.
  public static prefix func ! (condition: Condition) -> Condition { .not(condition) }
}
