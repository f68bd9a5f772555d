import VarveCore

/// Verifies that the summits that the other side named arrive.
///
/// The hash of a header names one commit, but cannot show that the commit is one that the other
/// side named. So a session that ends without a named commit, and without a reason for that, did
/// not receive what was to be sent.
extension SyncSession {
  /// Records the summits that the other side named and this side lacks.
  mutating func promise(_ ids: [CommitID]) {
    // Commits that are handed over cannot change, and the other session may hand over none.
    guard !handsOver else { return }
    receiving.promised = Set(ids)
  }

  /// Asks the log for the named summits that did not arrive, because another session may have added
  /// them; nil if there are none, or if the report gives the reason. A failure must not stop what
  /// goes the other way, so this side has sent everything.
  mutating func lookUpPromisedIfDue() -> [SyncAction]? {
    guard !hasSaidGoodbye, sending.hasEnded, receiving.hasEnded, receiving.appendCount == 0,
      !receiving.promised.isEmpty, report.parked.isEmpty, report.parkedThere.isEmpty,
      receiving.waiting.waiting.isEmpty
    else { return nil }
    guard !receiving.isLookingUpPromised else { return [] }
    receiving.isLookingUpPromised = true
    return [.lookUp(receiving.promised.sorted(), .promised)]
  }

  /// Handles which of the named summits are here; the session fails if one is not.
  mutating func found(promised ids: Set<CommitID>) -> [SyncAction] {
    receiving.promised.subtract(ids)
    guard let missing = receiving.promised.min() else { return finishIfDone() }
    return fail(VarveError.notSent(missing, by: "other store"))
  }
}

extension VarveError {
  /// The other side named a commit as its newest, and did not send it.
  static func notSent(_ commit: CommitID, by side: String) -> VarveError {
    VarveError(
      .damaged,
      "the \(side) named commit \(commit.sequence) of replica \(commit.replica) and did not send it",
      remedy: "Synchronise again: received commits are kept."
    )
  }
}
