/// The transactions that enclose the current task, innermost first, one per store.
package final class TransactionScope: Sendable {
  @TaskLocal static var current: TransactionScope?

  let transaction: WriteTransaction
  /// The turnstile of an attempt in the transaction, if the scope is one.
  private let attempt: Turnstile<CommitWriter>?
  private let outer: TransactionScope?

  init(_ transaction: WriteTransaction, attempt: Turnstile<CommitWriter>? = nil) {
    self.transaction = transaction
    self.attempt = attempt
    outer = Self.current
  }

  /// Returns the turnstile of the innermost attempt of a transaction that encloses the current
  /// task.
  static func attempt(in transaction: WriteTransaction) -> Turnstile<CommitWriter>? {
    var scope = current
    while let here = scope {
      if here.transaction === transaction, let attempt = here.attempt { return attempt }
      scope = here.outer
    }
    return nil
  }

  /// Returns the open transaction of a store that encloses the current task.
  package static func transaction(of store: Store) -> WriteTransaction? {
    guard var scope = current else { return nil }
    while true {
      if scope.transaction.store == ObjectIdentifier(store), scope.transaction.isOpen {
        return scope.transaction
      }
      guard let outer = scope.outer else { return nil }
      scope = outer
    }
  }
}
