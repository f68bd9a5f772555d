import VarveCore

/// How to make objects again that a cycle leads back to, should one be touched when nobody has kept
/// it: what they held when they were loaded or saved.
final class ObjectRecord {
  private struct Recipe {
    let type: any StoredObject.Type
    let state: ObjectState
  }

  private let recipes: [EntityID: Recipe]

  init(_ objects: [(object: any StoredObject, state: ObjectState)]) {
    recipes = Dictionary(
      objects.map { ($0.object.id, Recipe(type: type(of: $0.object), state: $0.state)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The live object, or one made again, with those it leads to. A context brings them up to date in
  /// its next turn.
  func make(_ id: EntityID, in objects: Objects?) -> (any StoredObject)? {
    if let live = objects?.map.live(id) { return live }
    let assembly = ObjectAssembly(objects)
    guard add(id, to: assembly) else { return nil }
    var made = [id]
    while let link = try? assembly.nextMissing() {
      guard add(link.id, to: assembly) else { return nil }
      made.append(link.id)
    }
    guard let objects else {
      assembly.resolve(in: nil)
      return assembly.object(id)
    }
    assembly.publish(in: objects, since: 0)
    objects.readSoon(made)
    return assembly.object(id)
  }

  private func add(_ id: EntityID, to assembly: ObjectAssembly) -> Bool {
    guard let recipe = recipes[id] else { return false }
    return (try? assembly.add(id, recipe.type.kind, recipe.state, as: recipe.type)) != nil
  }
}
