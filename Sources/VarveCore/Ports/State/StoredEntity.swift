import Foundation

/// An entity as it was when it was read: an immutable snapshot.
///
/// ```swift
/// if let hat = try await store.entity("hat-1") {
///   print(hat.type, hat["color"] ?? "no color")
/// }
/// ```
public struct StoredEntity: Sendable {
  /// The identifier.
  public let id: EntityID
  /// The type label.
  public let type: EntityType
  /// The time at which the entity was first added.
  public let datestamp: HybridTime
  /// The time at which its newest value was written.
  public let modified: HybridTime

  /// The keys that the entity may have, shared by all entities that are read together.
  package let shape: EntityShape
  /// The value for each key of the shape, or nil.
  package let values: [Value?]
  /// The properties that the shape does not cover, and those with other semantic types.
  package let others: [PropertyKey: Property]
  /// A dense number that the backend assigned, which rises with creations. Nil if there is none,
  /// and in lists.
  package let number: Int64?

  /// A value and its semantic type.
  public struct Property: Hashable, Sendable {
    /// The value.
    public let value: Value
    /// The semantic type; by default the name of the value's kind.
    public let semanticType: String

    /// Creates a property.
    public init(_ value: Value, semanticType: String? = nil) {
      self.value = value
      self.semanticType = semanticType ?? value.kind.name
    }

    /// Compares the values, and the semantic types by their UTF-8 bytes.
    public static func == (left: Property, right: Property) -> Bool {
      left.value == right.value && left.semanticType.isSame(as: right.semanticType)
    }

    /// Hashes the value and the semantic type.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(value)
      semanticType.utf8.hashBytes(into: &hasher)
    }
  }

  package init(
    id: EntityID,
    type: EntityType,
    datestamp: HybridTime,
    modified: HybridTime,
    shape: EntityShape,
    values: [Value?],
    others: [PropertyKey: Property] = [:],
    number: Int64? = nil
  ) {
    self.number = number
    self.id = id
    self.type = type
    self.datestamp = datestamp
    self.modified = modified
    self.shape = shape
    self.values = values
    self.others = others
  }

  /// The value of a property, or nil if there is none.
  public subscript(key: PropertyKey) -> Value? {
    if !others.isEmpty, let other = others[key] { return other.value }
    guard let index = shape.index(of: key) else { return nil }
    return values[index]
  }

  /// Returns the value of a property with its semantic type, or nil if there is none.
  public func property(_ key: PropertyKey) -> Property? {
    if let other = others[key] { return other }
    guard let index = shape.index(of: key), let value = values[index] else { return nil }
    return Property(value, semanticType: shape.semanticTypes[index])
  }

  /// All properties.
  ///
  /// - Complexity: O(properties).
  public var properties: [PropertyKey: Property] {
    var properties = others
    for (index, key) in shape.keys.enumerated() where properties[key] == nil {
      if let value = values[index] {
        properties[key] = Property(value, semanticType: shape.semanticTypes[index])
      }
    }
    return properties
  }

  /// The keys of all properties, in byte order.
  public var keys: [PropertyKey] { properties.keys.sorted() }

  /// Returns the value of a field in a query.
  package func value(of field: Field) -> Value? {
    switch field {
    case .property(let key): self[key]
    case .identifier: .string(id.text)
    case .datestamp: .date(datestamp.date)
    case .modified: .date(modified.date)
    case .firstOf(let key, let older): self[key] ?? older.lazy.compactMap { self[$0] }.first
    case .joined(let type, let field): type == self.type ? value(of: field) : nil
    case .decimal(let inner), .folded(let inner): value(of: inner.stored).flatMap(field.interpreted)
    case .inside(let inner, let path): value(of: inner.stored)?.at(path).flatMap(field.interpreted)
    // Only a state knows other entities.
    case .ofRelated, .aggregate, .relevance: nil
    }
  }
}
