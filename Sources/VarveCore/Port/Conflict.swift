/// A property of a live entity that replicas wrote apart, without having seen each other's value.
///
/// The first version holds (R7); nothing was lost, and writing the property again, having seen
/// them all, settles it.
public struct Conflict: Hashable, Sendable {
  /// The entity.
  public let entity: EntityID
  /// The property.
  public let key: PropertyKey
  /// The versions no other version's commit had seen, greatest first. They say different things.
  public let versions: [Version]

  package init(entity: EntityID, key: PropertyKey, versions: [Version]) {
    self.entity = entity
    self.key = key
    self.versions = versions
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
    guard Set(heads.map(content)).count > 1 else { return nil }
    return heads
  }
}
