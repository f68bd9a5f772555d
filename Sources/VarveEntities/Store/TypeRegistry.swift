import Synchronization
package import VarveCore

/// What is registered for the types of one store, under a name each.
///
/// A store passes its registry on to everything that is read from it. What is registered belongs to
/// the modules over it.
package final class TypeRegistry: Sendable {
  private struct Entry {
    let name: String
    let content: any Sendable
  }

  private let entries = Mutex<[EntityType: Entry]>([:])

  package init() {}

  /// Registers something for a type, in place of what is registered.
  package func register(_ content: some Sendable, for type: EntityType, as name: String) {
    entries.withLock { $0[type] = Entry(name: name, content: content) }
  }

  /// Returns what is registered for a type.
  package func content(for type: EntityType) -> (any Sendable)? {
    entries.withLock { $0[type]?.content }
  }

  /// Returns the name that was registered for a type.
  package func name(of type: EntityType) -> String? { entries.withLock { $0[type]?.name } }

  /// Returns the type that a name was registered for.
  package func type(named name: String) -> EntityType? {
    entries.withLock { entries in entries.first { $0.value.name == name }?.key }
  }
}
