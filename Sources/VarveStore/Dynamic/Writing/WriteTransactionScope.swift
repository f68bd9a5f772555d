/// The transactions that enclose the current task, innermost first, one per store.
final class TransactionScope: Sendable {
  @TaskLocal static var current: TransactionScope?

  let transaction: WriteTransaction
  private let outer: TransactionScope?

  init(_ transaction: WriteTransaction) {
    self.transaction = transaction
    outer = Self.current
  }

  /// Returns the open transaction of a store that encloses the current task.
  static func transaction(of store: Store) -> WriteTransaction? {
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
