/// What replicas did apart, without having seen each other's work, and nobody has settled since.
///
/// Of a live entity: a property that got several values. The first version holds (R7); nothing was
/// lost, and writing the property again, having seen them all, settles it.
///
/// Of a dead one: the merge killed it, and none of those who erased knew that it would die, or
/// what had been written to it (R15, R16). Restoring it settles that; so does restoring and
/// erasing it in one transaction, by somebody who means it.
public struct Conflict: Hashable, Sendable {
  /// What is in conflict.
  public enum Kind: String, Hashable, Sendable {
    /// A property of a live entity has several values.
    case value
    /// An entity died unseen, or was written to unseen by who erased it.
    case death
  }

  /// The entity.
  public let entity: EntityID
  /// The property; nil where the entity's life is in conflict.
  public let key: PropertyKey?
  /// Greatest first. Of a property: those no other version's commit had seen; they say different
  /// things. Of a death: what was written to the entity, its creation and restores included, that
  /// nobody had seen who erased it, or what it died with, and saw it die. Empty where all was
  /// seen, and only the death was not.
  public let versions: [Version]
  /// Of a death: the erased entities it died with, in order of identifier; itself where it was
  /// erased by name.
  public let erased: [EntityID]

  /// What is in conflict.
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

  /// The order of lists: by entity; an entity's death, then its properties by key.
  package static func precedes(_ left: Conflict, _ right: Conflict) -> Bool {
    guard left.entity == right.entity else { return left.entity < right.entity }
    guard let key = left.key else { return right.key != nil }
    return right.key.map { key < $0 } ?? false
  }

  /// The versions of one property that nobody who wrote it later had seen, if they disagree.
  ///
  /// - Parameters:
  ///   - cells: the property's cells of the entity's present life, greatest first.
  ///   - hasSeen: whether the first cell's commit had seen the second's.
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
  /// The semantic type of what a save works out by itself, such as the date of the save. It says nothing
  /// that a person meant, so that there is nothing to settle where such values were written apart: the
  /// greatest cell holds.
  package static let derivedType = "varve.derived"

  fileprivate var isDerived: Bool {
    guard case .value(_, _, let semanticType) = self else { return false }
    return semanticType.isSame(as: Self.derivedType)
  }
}
