/// What a commit's cells are applied with, while its transaction is open.
struct Application {
  /// The chains of which the commit had not seen all that is applied, with what it had seen.
  var unseen: [Int64: Int64] = [:]
  /// While several cells are applied as one: whose lives they may change.
  var deferred: DeferredLiveness?
}
