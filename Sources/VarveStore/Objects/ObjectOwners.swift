import Synchronization
import VarveCore

/// The context of each object in memory. An object belongs to at most one: its unsaved edits are
/// known by comparison with what that context read or saved.
enum ObjectOwners {
  /// An object and its context. The object is only compared, never used: it may belong to another
  /// actor.
  private struct Owner: @unchecked Sendable {
    weak var object: AnyObject?
    let context: ContextReference
  }

  private struct Table: Sendable {
    var owners: [ObjectIdentifier: Owner] = [:]
    /// The number of entries at which those of deallocated objects are removed.
    var limit = 1_024
  }

  private static let table = Mutex(Table())

  /// Records the context of an object.
  ///
  /// - Complexity: O(1) amortized.
  static func note(_ object: any StoredObject, in context: ContextReference) {
    let owner = Owner(object: object, context: context)
    let key = ObjectIdentifier(object)
    table.withLock { table in
      table.owners[key] = owner
      guard table.owners.count > table.limit else { return }
      table.owners = table.owners.filter { $1.object != nil }
      table.limit = max(1_024, table.owners.count * 2)
    }
  }

  /// Returns whether an object belongs to another context that still exists.
  static func isForeign(_ object: any StoredObject, to context: ContextReference) -> Bool {
    let key = ObjectIdentifier(object)
    // The key of a deallocated object may be that of a new one.
    let owner = table.withLock { $0.owners[key] }
    guard let owner, owner.object === object, owner.context !== context else { return false }
    return owner.context.objects != nil
  }
}
