/// The state of applying a commit's cells, while its transaction is open.
struct Application {
  /// The chains of which the commit had not seen all applied commits, with the last one it had
  /// seen.
  var unseen: [Int64: Int64] = [:]
  /// The entities whose liveness is computed at the end of several cells, if there are any.
  var deferred: DeferredLiveness?
}
