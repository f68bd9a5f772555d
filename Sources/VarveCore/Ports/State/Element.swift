/// An element of a to-many property: an add that counts.
package struct Element: Hashable, Sendable {
  package var target: EntityID
  package var position: ListPosition
  package var add: AddID

  package init(target: EntityID, position: ListPosition, add: AddID) {
    self.target = target
    self.position = position
    self.add = add
  }
}
