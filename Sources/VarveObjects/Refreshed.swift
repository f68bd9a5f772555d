import VarveCore
import VarveEntities

/// The values read to bring an object up to date.
final class Refreshed {
  let entity: StoredEntity
  /// Its new children.
  let children: ObjectAssembly
  /// The properties that its class reads from a row.
  private(set) var asked: [PropertyKey] = []
  /// The identifiers of its children.
  private var childIDs: [EntityID] = []
  /// The error if it or one of its children cannot be read.
  private(set) var failure: (any Error)?

  init(
    _ entity: StoredEntity,
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

  /// Returns the children by identifier, once they are published.
  func targets(in objects: Objects) -> [EntityID: any StoredObject] {
    var targets: [EntityID: any StoredObject] = [:]
    for id in childIDs { targets[id] = children.object(id) }
    return targets
  }
}
