public import VarveCore

/// What is to be written to a property: a value, a reference looked up on the way, or nothing.
///
/// ```swift
/// let properties: NewProperties = [
///   "name": "Ann", "home": .value("12 High St", semanticType: "address"),
///   "employer": .to(EntityReference("name", equals: "Acme").creating("company")), "nick": nil,
/// ]
/// ```
public enum NewValue: Sendable {
  /// A value, of a semantic type: the kind's name if nil.
  case value(Value, semanticType: String? = nil)
  /// The entity a reference names, created where it says so. A bare identifier is written as it is,
  /// for it may name what arrives later.
  case to(EntityReference, semanticType: String? = nil)
  /// No value: the property is removed.
  case removal
}

/// Properties to write, by name.
public typealias NewProperties = [PropertyName: NewValue]

/// The name of a property: a key, or a key that carries a reference.
///
/// A name that carries a reference is stored as the key and the identifier of what it names:
/// `author` with a reference to `test-book` is `author-test-book`. So one label stands beside itself
/// for several entities.
public struct PropertyName: Hashable, Sendable {
  /// The key.
  public let key: PropertyKey
  /// What the key is about.
  public let reference: EntityReference?

  /// A key by itself.
  public init(_ key: PropertyKey) {
    self.key = key
    reference = nil
  }

  private init(_ key: PropertyKey, _ reference: EntityReference) {
    self.key = key
    self.reference = reference
  }

  /// A key that carries a reference. What it names is created where it says so; where there is
  /// nothing, writing throws `unresolvedKey`.
  public static func keyed(_ key: PropertyKey, by reference: EntityReference) -> PropertyName {
    PropertyName(key, reference)
  }

  /// The key as it is stored.
  func key(for id: EntityID?) throws -> PropertyKey {
    guard reference != nil else { return key }
    guard let id else {
      throw VarveError(
        .unresolvedKey,
        "what the key \"\(key)\" refers to does not exist",
        at: "key \"\(key)\"",
        remedy: "Let its reference create it."
      )
    }
    return PropertyKey("\(key)-\(id)")
  }
}

extension PropertyName: ExpressibleByStringLiteral {
  /// A key by itself.
  public init(stringLiteral value: String) { self.init(PropertyKey(value)) }
}

extension NewValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .value(.int(value)) }
  /// A double.
  public init(floatLiteral value: Double) { self = .value(.double(value)) }
  /// A string.
  public init(stringLiteral value: String) { self = .value(.string(value)) }
  /// No value.
  public init(nilLiteral: ()) { self = .removal }
}

extension NewProperties {
  /// In an order that does not change from run to run: keys by themselves first.
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
  /// Bytes that differ wherever references do, the same in every run.
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

  /// Bytes after their count.
  private static func framed(_ bytes: some Collection<UInt8>) -> [UInt8] {
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian, Array.init) + bytes
  }
}
