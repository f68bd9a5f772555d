import Synchronization
public import VarveCore

/// The classes of one store's lookup results, by type.
package final class ReferenceClasses: Sendable {
  private struct Entry {
    let name: String
    let make: @Sendable (FoundEntity) -> any EntityHandle
  }

  private let entries = Mutex<[EntityType: Entry]>([:])

  func register(
    _ type: EntityType,
    _ name: String,
    _ make: @escaping @Sendable (FoundEntity) -> any EntityHandle
  ) {
    entries.withLock { $0[type] = Entry(name: name, make: make) }
  }

  /// Returns an object of the class registered for the entity's type.
  func handle(_ found: FoundEntity) -> any EntityHandle {
    guard let entry = entries.withLock({ $0[found.type] }) else { return found }
    return entry.make(found)
  }

  /// Returns the name of the class of a type.
  package func name(of type: EntityType) -> String? { entries.withLock { $0[type]?.name } }

  /// Returns the type that a class was registered for.
  package func type(named name: String) -> EntityType? {
    entries.withLock { entries in entries.first { $0.value.name == name }?.key }
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
    classes.register(type, name, make)
  }
}
