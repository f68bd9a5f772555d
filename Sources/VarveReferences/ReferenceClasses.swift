public import VarveCore
public import VarveEntities

/// The classes of one store's lookup results, by type.
package typealias ReferenceClasses = TypeRegistry

/// Makes the lookup results of a type.
private struct HandleMaker: Sendable {
  let make: @Sendable (FoundEntity) -> any EntityHandle
}

extension TypeRegistry {
  /// Returns an object of the class registered for the entity's type.
  func handle(_ found: FoundEntity) -> any EntityHandle {
    guard let maker = content(for: found.type) as? HandleMaker else { return found }
    return maker.make(found)
  }
}

extension Store {
  /// Registers a class, so that lookups in this store return entities of its type as its instances.
  ///
  /// A registration belongs to this `Store`, not to the data; a later one for the type replaces it.
  public func register<Class: CustomReference>(_ class: Class.Type) {
    register(Class.entityType, as: String(describing: Class.self)) { Class($0) }
  }

  /// Registers a function that makes the lookup results of a type.
  ///
  /// - Parameters:
  ///   - type: the type of the entities.
  ///   - name: the name of the class in the operation language.
  ///   - make: makes the object for an entity of that type.
  public func register(
    _ type: EntityType,
    as name: String,
    _ make: @escaping @Sendable (FoundEntity) -> any EntityHandle
  ) {
    classes.register(HandleMaker(make: make), for: type, as: name)
  }
}
