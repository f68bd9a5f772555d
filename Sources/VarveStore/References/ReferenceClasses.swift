import Synchronization
public import VarveCore

/// The classes of one store's answers, by type.
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

  /// The entity as an object of its type's class.
  func handle(_ found: FoundEntity) -> any EntityHandle {
    guard let entry = entries.withLock({ $0[found.type] }) else { return found }
    return entry.make(found)
  }

  /// The name of the class of a type.
  package func name(of type: EntityType) -> String? { entries.withLock { $0[type]?.name } }

  /// The type a class was registered for.
  package func type(named name: String) -> EntityType? {
    entries.withLock { entries in entries.first { $0.value.name == name }?.key }
  }
}

extension Store {
  /// Makes every answer of this store that is of a class's type an object of that class.
  ///
  /// A registration belongs to this `Store`, not to the data; a later one for the type replaces it.
  public func register<Class: CustomReference>(_ class: Class.Type) {
    register(Class.entityType, as: String(describing: Class.self)) { Class($0) }
  }

  /// Makes every answer of this store that is of a type what a function makes of it.
  ///
  /// - Parameters:
  ///   - type: the type of the entities.
  ///   - name: a name for the class, by which the operation language knows it.
  ///   - make: makes the object of an entity of that type.
  public func register(
    _ type: EntityType,
    as name: String,
    _ make: @escaping @Sendable (FoundEntity) -> any EntityHandle
  ) {
    classes.register(type, name, make)
  }
}
