import VarveCore

/// What was read to bring an object up to date.
final class Refreshed {
  let entity: Entity
  /// Children it did not have before.
  let children: ObjectAssembly
  /// What its class asks a row for.
  private(set) var asked: [PropertyKey] = []
  /// Whom it has as children.
  private var childIDs: [EntityID] = []
  /// Why it, or one of them, cannot be read.
  private(set) var failure: (any Error)?

  init(
    _ entity: Entity,
    _ object: any StoredObject,
    in objects: Objects,
    _ state: StateReader
  ) async throws {
    self.entity = entity
    children = ObjectAssembly(objects)
    let type = Swift.type(of: object)
    guard entity.type == type.kind else { return }
    do {
      let made = try FreshObject(
        entity.id,
        entity.type,
        .entity(try entity.asDocument()),
        as: type,
        in: objects
      )
      asked = made.links.asked
      childIDs = made.links.strict.map(\.id)
      children.follow(made.links.strict)
      try await children.complete(from: state, in: objects)
    } catch let error where error.isAboutOneObject {
      failure = error
    }
  }

  /// The children, by their identifiers, once they are published.
  func targets(in objects: Objects) -> [EntityID: any StoredObject] {
    var targets: [EntityID: any StoredObject] = [:]
    for id in childIDs { targets[id] = children.object(id) }
    return targets
  }
}
