#if CommandLine
import Foundation

/// ^C during a command of a session, which cancels the command and not the session.
enum Interruption {
  /// Whether the signal came. Only the handler sets it while a command runs.
  private nonisolated(unsafe) static var hasCome: sig_atomic_t = 0
  private static let pause = Duration.milliseconds(50)

  /// Performs work that ^C cancels.
  ///
  /// - Throws: what the work throws; `CancellationError` if it was cancelled in time.
  static func cancelling<Result: Sendable>(
    _ work: sending @escaping () async throws -> Result
  ) async throws -> Result {
    hasCome = 0
    // A handler may set a flag of this kind, and do little else.
    let former = signal(SIGINT) { _ in Interruption.hasCome = 1 }
    defer { signal(SIGINT, former) }
    let working = Task { try await work() }
    let watching = Task.detached(priority: .high) {
      while !Task.isCancelled {
        if hasCome != 0 { return working.cancel() }
        try? await Task.sleep(for: pause)
      }
    }
    defer { watching.cancel() }
    return try await working.value
  }
}
#endif
