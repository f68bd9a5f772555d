public import VarveCore

/// A change of a property: a value, a reference to resolve first, or a removal.
///
/// ```swift
/// let properties: NewProperties = [
///   "name": "Ann", "home": .value("12 High St", semanticType: "address"),
///   "employer": .to(EntityReference("name", equals: "Acme").creating("company")), "nick": nil,
/// ]
/// ```
public enum NewValue: Sendable {
  /// A value with a semantic type; nil for the name of the value's kind.
  case value(Value, semanticType: String? = nil)
  /// A reference to an entity, which is created if the reference describes it. A bare identifier is
  /// written as it is, because its entity may arrive later.
  case to(EntityReference, semanticType: String? = nil)
  /// No value; removes the property.
  case removal
}

/// Changes of properties by name.
public typealias NewProperties = [PropertyName: NewValue]

/// The name of a property: a key, or a key with a reference.
///
/// A name with a reference is stored as the key and the identifier of the entity: `author` with a
/// reference to `test-book` is `author-test-book`. So an entity can have one label for several
/// other entities.
public struct PropertyName: Hashable, Sendable {
  /// The key.
  public let key: PropertyKey
  /// The entity that the key is about.
  public let reference: EntityReference?

  /// Creates a name without a reference.
  public init(_ key: PropertyKey) {
    self.key = key
    reference = nil
  }

  private init(_ key: PropertyKey, _ reference: EntityReference) {
    self.key = key
    self.reference = reference
  }

  /// Returns a key with a reference. Its entity is created if the reference describes it; if there
  /// is none, writing throws `unresolvedKey`.
  public static func keyed(_ key: PropertyKey, by reference: EntityReference) -> PropertyName {
    PropertyName(key, reference)
  }

  /// Returns the stored key.
  func key(for id: EntityID?) throws -> PropertyKey {
    guard reference != nil else { return key }
    guard let id else {
      throw VarveError(
        .unresolvedKey,
        "the entity that the key \"\(key)\" refers to does not exist",
        at: "key \"\(key)\"",
        remedy: "Let its reference create it."
      )
    }
    return PropertyKey("\(key)-\(id)")
  }
}

extension PropertyName: ExpressibleByStringLiteral {
  /// Creates a name without a reference.
  public init(stringLiteral value: String) { self.init(PropertyKey(value)) }
}

extension NewValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .value(.int(value)) }
  /// Creates a double.
  public init(floatLiteral value: Double) { self = .value(.double(value)) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .value(.string(value)) }
  /// Creates a removal.
  public init(nilLiteral: ()) { self = .removal }
}

extension NewProperties {
  /// The changes in a deterministic order, names without references first.
  var inOrder: [(name: PropertyName, value: NewValue)] {
    map { (name: $0.key, value: $0.value) }.sorted { left, right in
      let (one, other) = (left.name, right.name)
      guard (one.reference == nil) == (other.reference == nil) else { return one.reference == nil }
      guard one.key == other.key else { return one.key < other.key }
      guard let first = one.reference, let second = other.reference else { return false }
      return first.orderKey.lexicographicallyPrecedes(second.orderKey)
    }
  }

  /// The references in names and values.
  var references: [EntityReference] {
    flatMap { name, value in
      var references = name.reference.map { [$0] } ?? []
      if case .to(let reference, _) = value { references.append(reference) }
      return references
    }
  }
}

extension EntityReference {
  /// Bytes that differ if the references do, the same in every run.
  fileprivate var orderKey: [UInt8] {
    var key: [UInt8] = []
    switch matcher {
    case .nothing: key.append(0)
    case .id(let id): return [1] + Array(id.text.utf8)
    case .property(let name, let value): key += [2] + Self.framed(name.text.utf8) + value.encoded
    case .anyOf(let references):
      key.append(3)
      for reference in references { key += Self.framed(reference.orderKey) }
    }
    return key + [4] + Array((creation?.type.text ?? "").utf8)
  }

  /// Returns bytes prefixed with their count.
  private static func framed(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian, Array.init) + bytes
  }
}
