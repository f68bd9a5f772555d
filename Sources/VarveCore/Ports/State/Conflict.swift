/// A concurrent change by several replicas that no later commit has settled.
///
/// For a live entity, it is a property that got several values. The first version holds (R7).
/// Nothing was lost, and writing the property again, after having seen all values, settles the
/// conflict.
///
/// For a dead entity, it is a death by a merge: none of the erasing commits had seen that the
/// entity would die, or what had been written to it (R15, R16). Restoring the entity settles the
/// conflict; so does restoring and erasing it in one transaction.
public struct Conflict: Hashable, Sendable {
  /// The kind of conflict.
  public enum Kind: String, Hashable, Sendable {
    /// A property of a live entity has several values.
    case value
    /// An entity died unseen, or was written to by a commit that its erasure had not seen.
    case death
  }

  /// The entity.
  public let entity: EntityID
  /// The property; nil if the conflict is a death.
  public let key: PropertyKey?
  /// The versions in conflict, greatest first. For a property, these are the different values that
  /// no other version's commit had seen. For a death, they are everything written to the entity,
  /// including its creation and restores, that no commit had seen which erased the entity or an
  /// owner and saw it die. They are empty if everything was seen except the death itself.
  public let versions: [Version]
  /// For a death, the erased entities that caused it, in order of identifier; the entity itself if
  /// it was erased by name.
  public let erased: [EntityID]

  /// The kind of conflict.
  public var kind: Kind { key == nil ? .death : .value }

  package init(entity: EntityID, key: PropertyKey, versions: [Version]) {
    self.entity = entity
    self.key = key
    self.versions = versions
    erased = []
  }

  package init(deathOf entity: EntityID, with erased: [EntityID], versions: [Version]) {
    self.entity = entity
    key = nil
    self.versions = versions
    self.erased = erased
  }

  /// Orders conflicts by entity; an entity's death precedes its properties, which are sorted by
  /// key.
  package static func precedes(_ left: Conflict, _ right: Conflict) -> Bool {
    guard left.entity == right.entity else { return left.entity < right.entity }
    guard let key = left.key else { return right.key != nil }
    return right.key.map { key < $0 } ?? false
  }

  /// Returns the versions of one property that no later writer had seen, if they disagree.
  ///
  /// - Parameters:
  ///   - cells: the property's cells of the entity's present life, greatest first.
  ///   - hasSeen: returns whether the first cell's commit had seen the second's.
  package static func heads<Element>(
    among cells: [Element],
    content: (Element) -> Cell.Content,
    hasSeen: (Element, Element) throws -> Bool
  ) rethrows -> [Element]? {
    var heads: [Element] = []
    for (index, cell) in cells.enumerated() {
      let isSuperseded = try cells.enumerated().contains { other, later in
        try other != index && hasSeen(later, cell)
      }
      if !isSuperseded { heads.append(cell) }
    }
    guard Set(heads.map(content)).count > 1, !heads.allSatisfy({ content($0).isDerived }) else {
      return nil
    }
    return heads
  }
}

extension Cell.Content {
  /// The semantic type of values that a save computes itself, such as the date of the save.
  /// Concurrent values of this type are not a conflict, because no person decided on them: the
  /// greatest one holds.
  package static let derivedType = "varve.derived"

  fileprivate var isDerived: Bool {
    guard case .value(_, _, let semanticType) = self else { return false }
    return semanticType.isSame(as: Self.derivedType)
  }
}
