public import VarveCore
public import VarveStore

/// Keeping the tables up to date.
extension PostgresProjection {
  /// What happened while a store was followed.
  public enum Event: Sendable {
    /// The tables show a later state of the store.
    case updated(Report)
    /// The database cannot take the changes now. They are written later.
    case failed(VarveError)
  }

  /// The time between two looks for commits of other processes.
  private static let pollInterval = Duration.seconds(1)
  /// The longest pause after a failure, before jitter.
  private static let longestPause = 60.0

  /// Keeps the tables up to date with a store, until the task is cancelled.
  ///
  /// ```swift
  /// let following = Task { try await projection.follow(store) }
  /// ```
  ///
  /// If the database cannot be reached, it tries again after a random pause, which grows to a
  /// minute. The position that the tables have reached stands beside them, so what was written once
  /// is not written again, also by another process that follows later.
  ///
  /// - Parameters:
  ///   - store: the store to follow.
  ///   - notify: called after each update that found changes, and after each failure.
  /// - Throws: `VarveError`, if a repetition does not help, such as `closed` if the store is.
  public func follow(
    _ store: Store,
    _ notify: (Event) throws -> Void = { _ in }
  ) async throws {
    let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = store.arrivals.add(signal)
    let polling = Task {
      while !Task.isCancelled {
        signal.yield()
        try? await Task.sleep(for: Self.pollInterval)
      }
    }
    defer {
      polling.cancel()
      store.arrivals.remove(number)
    }
    var shown: Shown?
    var failureCount = 0
    for await _ in signals {
      let present = Shown(frontier: try await store.frontier(), mark: try await store.stateMark())
      guard present != shown else { continue }
      do {
        let report = try await update(from: store)
        (shown, failureCount) = (present, 0)
        if report != Report() { try notify(.updated(report)) }
      } catch let error as VarveError where Self.passes(error) {
        guard !Task.isCancelled else { return }
        try notify(.failed(error))
        failureCount += 1
        let longest = min(Self.longestPause, 0.5 * Double(1 << min(failureCount, 10)))
        try? await Task.sleep(for: .seconds(Double.random(in: 0...longest)))
      } catch is CancellationError {
        return
      }
    }
  }

  /// A state of the store that the tables show.
  private struct Shown: Equatable {
    let frontier: Frontier
    let mark: String
  }

  /// Whether an error of the database can pass by itself.
  private static func passes(_ error: VarveError) -> Bool {
    [.inputOutput, .busy, .diskFull, .readOnly].contains(error.code)
  }
}
