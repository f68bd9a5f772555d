/// The parameters of a write.
package struct WriteRequest: Sendable {
  /// The author, as a commit's header has it: empty if there is none.
  package var author: String
  /// The reason, as a commit's header has it: empty if there is none.
  package var message: String
  /// The maximum time to wait for another writer, in milliseconds.
  package var patienceMilliseconds: Int
  /// The commit that this one undoes.
  package var undone: CommitID?
  /// Whether the write may share a turn at the log's home, or a transaction before a flush, with other
  /// writes of this process, for whose bodies its own then waits. Closures of applications do not.
  package var sharesTurn = false
  /// Called with the result once the commit is durable, before another writer's turn.
  package var committed: (@Sendable (WriteReceipt) -> Void)?

  package init(author: String? = nil, message: String? = nil, patienceMilliseconds: Int = 5_000) {
    self.author = author ?? ""
    self.message = message ?? ""
    self.patienceMilliseconds = patienceMilliseconds
  }
}

/// The result of a write.
package struct WriteReceipt: Sendable {
  package var commit: CommitSummary
  /// The newest commits of other chains that took effect since the chain's previous commit.
  package var applied: [CommitID]

  package init(commit: CommitSummary, applied: [CommitID]) {
    (self.commit, self.applied) = (commit, applied)
  }
}
