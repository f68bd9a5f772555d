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
  /// When it was first added.
  public let datestamp: HybridTime
  /// When its newest value was written.
  public let modified: HybridTime

  /// The keys a row may have, shared by all rows read together.
  package let shape: EntityShape
  /// A value, or none, for each key of the shape.
  package let values: [Value?]
  /// What the shape does not say: further properties, and other semantic types.
  package let others: [PropertyKey: Property]
  /// A number the backend knows it by: they are dense, and rise with creations. Nil where there is
  /// none, and in lists.
  package let number: Int64?

  /// A value and its semantic type.
  public struct Property: Hashable, Sendable {
    /// The value.
    public let value: Value
    /// The semantic type; the kind's name where none was given.
    public let semanticType: String

    /// Creates a property.
    public init(_ value: Value, semanticType: String? = nil) {
      self.value = value
      self.semanticType = semanticType ?? value.kind.name
    }

    /// Equality of values, and of semantic types by their UTF-8 bytes.
    public static func == (left: Property, right: Property) -> Bool {
      left.value == right.value && left.semanticType.isSame(as: right.semanticType)
    }

    /// Hashes what equality compares.
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

  /// The value of a property, or nil where there is none.
  public subscript(key: PropertyKey) -> Value? {
    if !others.isEmpty, let other = others[key] { return other.value }
    guard let index = shape.index(of: key) else { return nil }
    return values[index]
  }

  /// The value of a property with its semantic type.
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

  /// What a query sees in a field.
  package func value(of field: Field) -> Value? {
    switch field {
    case .property(let key): self[key]
    case .identifier: .string(id.text)
    case .datestamp: .date(datestamp.date)
    case .modified: .date(modified.date)
    case .firstOf(let key, let older): self[key] ?? older.lazy.compactMap { self[$0] }.first
    case .joined(let type, let field): type == self.type ? value(of: field) : nil
    case .decimal(let field): value(of: field)?.asDecimal
    }
  }
}

/// The keys that rows read together may have, with the semantic type each has unless a row says
/// otherwise.
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

/// What is known of an identifier.
public enum EntityStatus: Hashable, Sendable {
  /// No commit speaks of its creation.
  case unknown
  /// Live, of this type.
  case live(EntityType)
  /// Erased by name.
  case erased
  /// Dead with its owners.
  case dead
}

/// An edge that stands between two entities.
public struct RelationEdge: Hashable, Sendable {
  /// The end that declares: the owner, or whose relation it is.
  public let source: EntityID
  /// The kind and name.
  public let relation: Relation
  /// The other end.
  public let target: EntityID
  /// Where it stands among the source's relations: where the first of its adds does.
  package let position: Position
  /// The adds behind it: one, or more where replicas declared it apart.
  package let adds: [AddID]
  /// The source was created anew since all of these adds: an ownership that keeps nothing alive
  /// and that no list shows, but that keeps dead what died by it (R15).
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
  /// Whether it was removed: then none of the register counts.
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

  /// The order of lists: by end, then by relation.
  package static func precedes(_ left: PairedEdge, _ right: PairedEdge) -> Bool {
    guard left.pairing.end == right.pairing.end else {
      return left.pairing.end.rawValue < right.pairing.end.rawValue
    }
    return left.relation < right.relation
  }

  /// The end the property names.
  package var other: EntityID { pairing.end == .source ? target : source }
}

/// One element of a to-many property: an add that stands.
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

/// An add to a relation, whether it stands or not, with all that is known of it.
package struct RecordedAdd: Sendable {
  package var target: EntityID
  package var position: Position
  package var add: AddID
  /// The commit that added it.
  package var commit: CommitSummary
  /// The commits that removed it, in no order.
  package var removals: [CommitSummary]
  /// Whether an end it depends on was created anew since.
  package var isFromFormerLife: Bool
  /// Whether it is one fact with a property (R28).
  package var isPaired: Bool

  package init(
    target: EntityID,
    position: Position,
    add: AddID,
    commit: CommitSummary,
    removals: [CommitSummary],
    isFromFormerLife: Bool,
    isPaired: Bool
  ) {
    self.target = target
    self.position = position
    self.add = add
    self.commit = commit
    self.removals = removals
    self.isFromFormerLife = isFromFormerLife
    self.isPaired = isPaired
  }

  /// Whether it counts.
  package var stands: Bool { removals.isEmpty && !isFromFormerLife }
}

/// A commit, without its cells.
public struct CommitSummary: Hashable, Sendable {
  /// Its name.
  public let id: CommitID
  /// When it was written.
  public let time: HybridTime
  /// The author; nil if the commit names none.
  public let author: String?
  /// The reason; nil if the commit gives none.
  public let message: String?
  /// How many ordinals its cells use: roughly, how many things it did.
  public let operationCount: Int
  /// What it is for: cells, or also to forget others'.
  public let kind: CommitHeader.Kind
  /// The commit it undid, as far as it could; nil where it is no undo.
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

/// One cell of an entity's history.
public struct Version: Hashable, Sendable {
  /// What was written.
  public let content: Cell.Content
  /// When it holds from.
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
  /// The value written; nil for a removal.
  public var value: Value? { content.value }
  /// The author of the commit; nil if it names none.
  public var author: String? { commit.author }
}

extension String {
  /// The text, or nil if it is empty, as commits store a missing author or reason.
  package var nilIfEmpty: String? { isEmpty ? nil : self }
}

extension Version: CustomStringConvertible {
  /// What happened, in words: the value that was written, or `removed`; `created`, `erased`,
  /// `restored` or `created anew` for a life; `to-many`, `added …` or `taken out …` for a to-many
  /// property and its elements.
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
