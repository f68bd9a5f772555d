import Synchronization
import VarveCore

/// The objects of each context. An object belongs to at most one context: its unsaved edits are
/// known by comparison with what that context read or saved.
///
/// Contexts of all actors share the table. A context reads only the entries of objects that it
/// holds. Loading a weak reference to another object could release the object outside of its actor.
enum ObjectOwners {
  private struct Entry: @unchecked Sendable {
    weak var object: AnyObject?
  }

  private struct Owned: Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of deallocated objects are removed.
    var limit = 1_024
  }

  private static let contexts = Mutex<[ObjectIdentifier: Owned]>([:])

  /// Records the context of an object.
  ///
  /// - Complexity: O(1) amortized.
  static func note(_ object: any StoredObject, in context: Objects) {
    let (key, context) = (ObjectIdentifier(object), ObjectIdentifier(context))
    let entry = Entry(object: object)
    contexts.withLock { contexts in
      contexts[context, default: Owned()].entries[key] = entry
      guard let owned = contexts[context], owned.entries.count > owned.limit else { return }
      let alive = owned.entries.filter { $1.object != nil }
      contexts[context] = Owned(entries: alive, limit: max(1_024, alive.count * 2))
    }
  }

  /// Removes the entries of a context that is deallocated.
  static func forget(_ context: Objects) {
    let context = ObjectIdentifier(context)
    _ = contexts.withLock { $0.removeValue(forKey: context) }
  }

  /// Whether an object belongs to another context.
  ///
  /// - Complexity: O(contexts).
  private static func isForeign(_ object: any StoredObject, to context: Objects) -> Bool {
    let (key, context) = (ObjectIdentifier(object), ObjectIdentifier(context))
    let others = contexts.withLock { contexts in
      contexts.compactMap { $0 == context ? nil : $1.entries[key] }
    }
    // The entry of a deallocated object may have the key of a new one.
    return others.contains { $0.object === object }
  }

  /// Throws `invalidArgument` if an object belongs to another context.
  static func refuseForeign(_ object: any StoredObject, to context: Objects) throws {
    guard isForeign(object, to: context) else { return }
    throw VarveError(
      .invalidArgument,
      "the object \"\(object.id)\" belongs to another context",
      at: "entity \(object.id)",
      remedy: "Use the context that loaded or saved it, or load the entity in this one.",
      entity: object.id
    )
  }
}
