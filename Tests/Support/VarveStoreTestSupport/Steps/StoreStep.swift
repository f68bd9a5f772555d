package import Foundation
package import VarveCore
package import VarveJSON
package import VarveStore

/// An event in the life of several stores, each of which has one or more sessions.
///
/// Sessions are named by number. Other numbers (of a commit or a conflict) are resolved when the
/// step is played, so a history stays valid without some of its steps.
package enum StoreStep: Hashable, Sendable {
  /// A write of several operations. Refused operations are skipped.
  case write(Int, [StoreOperation], at: Date?, Ending)
  /// The undo of a commit, counted back from the newest.
  case undo(Int, ago: Int)
  /// The undo of the newest commit that was not undone yet.
  case undoBack(Int)
  /// The settlement of a conflict.
  case settle(Int, pick: Int, Settling)
  /// The merge of one session's commits into another, or of the oldest percentage of them.
  case merge(from: Int, into: Int, percent: Int)
  /// The synchronisation of two sessions.
  case sync(Int, Int)
  /// The compaction of history up to a number of milliseconds ago.
  case compact(Int, milliseconds: Int64)
  /// The retirement of a replica.
  case retire(Int, pick: Int)
  /// A change of the entity whose death the erasure hooks veto.
  case protect(EntityID?)
  case rebuild(Int)
  /// The closing and reopening of a session.
  case reopen(Int)
  case addIndex(Int, PropertyKey, EntityType)
  /// A write of one session, and in its middle the beginning of a write of another on the same
  /// copy.
  case interleave(Int, Int, [StoreOperation], [StoreOperation])
  /// The import of a document of hats by a mapping. A complete one ends the hats that it omits.
  case importing(Int, document: String, RelationPolicy, isComplete: Bool, at: Date?)
  /// The copy of the first file in place of the last.
  case fork
  /// A change of the clock of one session's copy.
  case jump(Int, milliseconds: Int64)
  case advance(milliseconds: Int64)

  /// The end of a write.
  package enum Ending: Hashable, Sendable {
    case commits
    case fails
    case isCancelled
  }

  /// The way in which a conflict is settled.
  package enum Settling: Hashable, Sendable {
    case firstVersion
    case lastVersion
    case value(Value?)
    case death
    case restoring(RestoreMode)
  }

  /// The step without one of its operations, for shrinking.
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
  /// The step as a short text.
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
