/// Finds cycles of retaining links, whose objects would never be deallocated.
enum LinkCycles {
  /// Returns the links that lead back to an object on the path to them. Without these, there is no
  /// cycle.
  ///
  /// - Parameters:
  ///   - roots: the objects to begin with.
  ///   - links: returns the links of an object; empty for an object that need not be visited.
  /// - Complexity: O(objects and links reached).
  static func closing(
    _ roots: [any StoredObject],
    _ links: (any StoredObject) -> [any StrictLink]
  ) -> [any StrictLink] {
    var closing: [any StrictLink] = []
    /// Whether the visit of an object is complete.
    var isDone: [ObjectIdentifier: Bool] = [:]
    for root in roots where isDone[ObjectIdentifier(root)] == nil {
      isDone[ObjectIdentifier(root)] = false
      var path = [(object: root, links: links(root)[...])]
      while let last = path.indices.last {
        guard let link = path[last].links.popFirst() else {
          isDone[ObjectIdentifier(path[last].object)] = true
          path.removeLast()
          continue
        }
        guard link.isHolding, let target = link.target else { continue }
        switch isDone[ObjectIdentifier(target)] {
        case false?: closing.append(link)
        case true?: break
        case nil:
          isDone[ObjectIdentifier(target)] = false
          path.append((target, links(target)[...]))
        }
      }
    }
    return closing
  }
}
