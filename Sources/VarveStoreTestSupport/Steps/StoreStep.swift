package import Foundation
package import VarveCore
package import VarveStore

/// One event in the life of several stores, each of which has one session or several.
///
/// Sessions are named by number. What a step names by number beyond (a commit, a conflict) is looked
/// up when it is played, so that a history without some of its steps is a history too.
package enum StoreStep: Hashable, Sendable {
  /// A write of several operations. An operation that is refused is passed over.
  case write(Int, [StoreOperation], at: Date?, Ending)
  /// The commit so many before the newest is undone.
  case undo(Int, ago: Int)
  /// The newest commit that was not undone yet is.
  case undoBack(Int)
  /// One of the conflicts is settled.
  case settle(Int, pick: Int, Settling)
  /// A session takes over what another has, or so many percent of it, oldest first.
  case merge(from: Int, into: Int, percent: Int)
  /// Two synchronise.
  case sync(Int, Int)
  /// History is folded up to so many milliseconds ago.
  case compact(Int, milliseconds: Int64)
  /// Somebody who wrote is said to write no more.
  case retire(Int, pick: Int)
  /// Whose erasure hooks veto from now on.
  case protect(EntityID?)
  case rebuild(Int)
  /// A session is closed and opened again.
  case reopen(Int)
  case addIndex(Int, PropertyKey, EntityType)
  case advance(milliseconds: Int64)

  /// How a write ends.
  package enum Ending: Hashable, Sendable {
    case commits
    case fails
    case isCancelled
  }

  /// How a conflict is settled.
  package enum Settling: Hashable, Sendable {
    case firstVersion
    case lastVersion
    case value(Value?)
    case death
    case restoring(RestoreMode)
  }

  /// The step without one of its operations: what shrinking tries.
  package var shorter: [StoreStep] {
    guard case .write(let session, let operations, let time, let ending) = self,
      operations.count > 1
    else { return [] }
    return operations.indices.map { index in
      var rest = operations
      rest.remove(at: index)
      return .write(session, rest, at: time, ending)
    }
  }
}

extension StoreStep {
  /// The step in few words.
  package var brief: String {
    var text = "\(self)"
    for word in [
      "VarveStoreTestSupport.", "StoreOperation.", "StoreStep.", "VarveStore.", "VarveCore.",
      "StoredEntity.Property", "RelationKind.", "CollectionKind.", "Arranging.", "Ending.",
      "01900000-0000-7000-8000-", ", at: nil",
    ] { text = text.replacingOccurrences(of: word, with: "") }
    return text
  }
}
