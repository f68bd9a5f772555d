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

/// The keys that entities read together may have, with the default semantic type of each.
package final class EntityShape: Sendable {
  package let keys: [PropertyKey]
  package let semanticTypes: [String]
  private let indices: [PropertyKey: Int]

  package init(keys: [PropertyKey], semanticTypes: [String]) {
    self.keys = keys
    self.semanticTypes = semanticTypes
    indices = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
  }

  package func index(of key: PropertyKey) -> Int? { indices[key] }

  /// A shape without keys.
  package static let empty = EntityShape(keys: [], semanticTypes: [])
}

/// The status of an identifier.
public enum EntityStatus: Hashable, Sendable {
  /// No commit creates an entity with the identifier.
  case unknown
  /// The entity is live and has the type.
  case live(EntityType)
  /// The entity was erased by name.
  case erased
  /// The entity died with its owners.
  case dead
}

/// An edge between two entities.
public struct RelationEdge: Hashable, Sendable {
  /// The end to which the relation belongs: the owner, or the source of a free relation.
  public let source: EntityID
  /// The kind and name.
  public let relation: Relation
  /// The other end.
  public let target: EntityID
  /// The position among the source's relations, which is that of the first add.
  package let position: Position
  /// The adds of the edge: one, or more if replicas added it concurrently.
  package let adds: [AddID]
  /// Whether the source was re-created after all of these adds. Such an ownership keeps no entity
  /// alive and is in no list, but keeps dead what died by it (R15).
  package let isFromFormerLife: Bool

  package init(
    source: EntityID,
    relation: Relation,
    target: EntityID,
    position: Position,
    adds: [AddID],
    isFromFormerLife: Bool = false
  ) {
    self.position = position
    self.source = source
    self.relation = relation
    self.target = target
    self.adds = adds
    self.isFromFormerLife = isFromFormerLife
  }
}

/// An edge that is one fact with a property of an entity (R28): the greatest of its register.
package struct PairedEdge: Hashable, Sendable {
  package let relation: Relation
  package let pairing: Pairing
  package let source: EntityID
  package let target: EntityID
  package let add: AddID
  /// Whether it was removed, so that no edge of the register counts.
  package let isRemoved: Bool

  package init(
    relation: Relation,
    pairing: Pairing,
    source: EntityID,
    target: EntityID,
    add: AddID,
    isRemoved: Bool
  ) {
    self.relation = relation
    self.pairing = pairing
    self.source = source
    self.target = target
    self.add = add
    self.isRemoved = isRemoved
  }

  /// Orders edges by end, then by relation.
  package static func precedes(_ left: PairedEdge, _ right: PairedEdge) -> Bool {
    guard left.pairing.end == right.pairing.end else {
      return left.pairing.end.rawValue < right.pairing.end.rawValue
    }
    return left.relation < right.relation
  }

  /// The end to which the property refers.
  package var other: EntityID { pairing.end == .source ? target : source }
}

/// An element of a to-many property: an add that counts.
package struct Element: Hashable, Sendable {
  package var target: EntityID
  package var position: Position
  package var add: AddID

  package init(target: EntityID, position: Position, add: AddID) {
    self.target = target
    self.position = position
    self.add = add
  }
}

/// An add to a relation, whether it counts or not, with everything known about it.
package struct RecordedAdd: Sendable {
  /// A removal of the add.
  package struct Removal: Hashable, Sendable {
    package var commit: CommitSummary
    /// The time from which the add is removed.
    package var time: HybridTime

    package init(by commit: CommitSummary, at time: HybridTime) {
      self.commit = commit
      self.time = time
    }
  }

  package var target: EntityID
  package var position: Position
  package var add: AddID
  /// The time from which it holds.
  package var time: HybridTime
  /// The commit that added it.
  package var commit: CommitSummary
  /// The removals, in no order.
  package var removals: [Removal]
  /// Whether an end that it depends on was re-created since.
  package var isFromFormerLife: Bool
  /// Whether it is one fact with a property (R28).
  package var isPaired: Bool

  package init(
    target: EntityID,
    position: Position,
    add: AddID,
    time: HybridTime,
    commit: CommitSummary,
    removals: [Removal],
    isFromFormerLife: Bool,
    isPaired: Bool
  ) {
    self.target = target
    self.position = position
    self.add = add
    self.time = time
    self.commit = commit
    self.removals = removals
    self.isFromFormerLife = isFromFormerLife
    self.isPaired = isPaired
  }

  /// Whether the add counts.
  package var stands: Bool { removals.isEmpty && !isFromFormerLife }
}

/// A commit, without its cells.
public struct CommitSummary: Hashable, Sendable {
  /// The name of the commit.
  public let id: CommitID
  /// The time at which the commit was written.
  public let time: HybridTime
  /// The author; nil if the commit names none.
  public let author: String?
  /// The reason; nil if the commit gives none.
  public let message: String?
  /// The number of ordinals that its cells use: roughly, the number of operations.
  public let operationCount: Int
  /// The kind of the commit: cells only, or also redactions.
  public let kind: CommitHeader.Kind
  /// The commit that it undid as far as possible; nil if it is not an undo.
  public let undone: CommitID?

  package init(_ header: CommitHeader, id: CommitID) {
    undone = header.undone
    self.id = id
    time = header.time
    author = header.author.nilIfEmpty
    message = header.message.nilIfEmpty
    operationCount = header.ordinalCount
    kind = header.kind
  }
}

/// A cell of an entity's history.
public struct Version: Hashable, Sendable {
  /// The content of the cell.
  public let content: Cell.Content
  /// The time from which it holds.
  public let time: HybridTime
  /// The commit that wrote it.
  public let commit: CommitSummary

  package init(content: Cell.Content, time: HybridTime, commit: CommitSummary) {
    self.content = content
    self.time = time
    self.commit = commit
  }

  /// The property, if the cell is about one, or about an element of one.
  public var key: PropertyKey? {
    switch content {
    case .add(let relation, _, _, _), .remove(let relation, _, _):
      relation.kind == .member ? relation.name : nil
    default: content.key
    }
  }
  /// The written value; nil for a removal.
  public var value: Value? { content.value }
  /// The author of the commit; nil if it names none.
  public var author: String? { commit.author }
}

extension String {
  /// The text, or nil if it is empty, as commits store a missing author or reason.
  package var nilIfEmpty: String? { isEmpty ? nil : self }
}

extension Version: CustomStringConvertible {
  /// The change in words: the written value, or `removed`; `created`, `erased`, `restored` or
  /// `created anew` for a life; `to-many`, `added …` or `taken out …` for a to-many property and
  /// its elements.
  public var description: String {
    switch content {
    case .value(_, let value, _): value.description
    case .removal: "removed"
    case .life(.created): "created"
    case .life(.recreated): "created anew"
    case .life(.erased): "erased"
    case .life(.restored): "restored"
    case .collection: "to-many"
    case .add(_, let target, _, _): "added \(target)"
    case .remove(_, let target, _): "taken out \(target)"
    }
  }
}
