import VarveCore

/// Receives the commits that a task makes in a store, whatever call makes them.
final class CommitRecorder: Sendable {
  @TaskLocal private static var current: CommitRecorder?

  private let store: ObjectIdentifier
  /// For what the commits are recorded; nil for the caller of ``Store/recording(isolation:_:)``.
  private let purpose: ObjectIdentifier?
  private let receive: @Sendable (CommitSummary) -> Void
  private let outer: CommitRecorder?

  private init(
    _ store: ObjectIdentifier,
    _ purpose: ObjectIdentifier?,
    _ outer: CommitRecorder?,
    _ receive: @escaping @Sendable (CommitSummary) -> Void
  ) {
    self.store = store
    self.purpose = purpose
    self.outer = outer
    self.receive = receive
  }

  /// Creates a recorder within those of the current task.
  convenience init(
    of store: Store,
    for purpose: AnyObject? = nil,
    _ receive: @escaping @Sendable (CommitSummary) -> Void
  ) {
    self.init(ObjectIdentifier(store), purpose.map(ObjectIdentifier.init), Self.current, receive)
  }

  /// Runs a closure whose commits are recorded, on the actor of the caller.
  func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$current.withValue(self) {
      _ = isolation
      return try await body()
    }
  }

  /// Passes a commit of a store to the recorders of the current task.
  static func note(_ commit: CommitSummary, of store: Store) {
    var recorder = current
    while let here = recorder {
      if here.store == ObjectIdentifier(store) { here.receive(commit) }
      recorder = here.outer
    }
  }

  /// Runs a closure whose commits are not recorded for a purpose.
  static func withoutRecording<Result>(
    isolation: isolated (any Actor)? = #isolation,
    for purpose: AnyObject,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    guard let recorder = current else { return try await body() }
    return try await $current.withValue(recorder.omitting(ObjectIdentifier(purpose))) {
      _ = isolation
      return try await body()
    }
  }

  private func omitting(_ omitted: ObjectIdentifier) -> CommitRecorder? {
    let outer = outer?.omitting(omitted)
    return purpose == omitted ? outer : CommitRecorder(store, purpose, outer, receive)
  }
}
