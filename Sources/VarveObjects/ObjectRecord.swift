import VarveCore

/// Creates the deallocated objects of a cycle again when a link to them is accessed, with the
/// values they had when loaded or saved.
final class ObjectRecord {
  private struct Recipe {
    let type: any StoredObject.Type
    let state: ObjectState
  }

  private let recipes: [EntityID: Recipe]

  /// - Parameter earlier: the records of objects that are deallocated already.
  init(
    _ objects: [(object: any StoredObject, state: ObjectState)],
    and earlier: [ObjectRecord] = []
  ) {
    var recipes: [EntityID: Recipe] = [:]
    for record in earlier { recipes.merge(record.recipes) { first, _ in first } }
    for (object, state) in objects {
      recipes[object.id] = Recipe(type: type(of: object), state: state)
    }
    self.recipes = recipes
  }

  /// Returns the live object, or creates it again with the objects it links to. A context brings
  /// them up to date in its next turn.
  ///
  /// If the identifier belongs to something else by now, and the objects of the cycle are not up to
  /// date yet, an instance outside the context represents the former object.
  func make<Target: StoredObject>(_ id: EntityID, in objects: Objects?) -> Target? {
    let occupant = objects?.map[id]?.object
    if let target = occupant as? Target { return target }
    let assembly = ObjectAssembly(objects)
    guard add(id, to: assembly) else { return nil }
    var made = [id]
    do {
      while let link = try assembly.nextMissing() {
        guard add(link.id, to: assembly) else { return nil }
        made.append(link.id)
      }
    } catch {
      // Another identifier of the cycle belongs to a different object now.
      return objects == nil ? nil : make(id, in: nil)
    }
    guard let objects, occupant == nil else {
      assembly.resolve(in: objects)
      return assembly.made(id) as? Target
    }
    assembly.publish(in: objects, since: 0)
    objects.readSoon(made)
    return assembly.object(id) as? Target
  }

  private func add(_ id: EntityID, to assembly: ObjectAssembly) -> Bool {
    guard let recipe = recipes[id] else { return false }
    return (try? assembly.add(id, recipe.type.kind, recipe.state, as: recipe.type)) != nil
  }
}
