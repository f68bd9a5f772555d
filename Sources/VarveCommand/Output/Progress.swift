#if CommandLine
import Foundation
import Synchronization

/// A progress line on standard error for work that takes more than a second: how much is done, the
/// rate, and the time left. Silent if standard error is not a terminal.
///
/// The line is updated regularly, even if the work reports no progress.
final class Progress: Sendable {
  private struct State {
    var done = 0
    var total: Int?
    var hasShown = false
  }

  private static let patience = Duration.seconds(1)
  private static let pause = Duration.milliseconds(100)

  private let what: String
  private let unit: String
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  private init(_ what: String, _ unit: String) {
    self.what = what
    self.unit = unit
  }

  /// Performs work with a progress line.
  ///
  /// - Parameters:
  ///   - what: the work.
  ///   - unit: the unit that is counted.
  ///   - isWanted: whether to show the line.
  static func during<Result>(
    _ what: String,
    _ unit: String,
    isWanted: Bool = true,
    _ work: (Progress) async throws -> Result
  ) async throws -> Result {
    let progress = Progress(what, unit)
    guard isWanted, isatty(STDERR_FILENO) == 1 else { return try await work(progress) }
    let ticking = Task.detached(priority: .high) { await progress.tick() }
    do {
      let result = try await work(progress)
      await progress.end(ticking)
      return result
    } catch {
      await progress.end(ticking)
      throw error
    }
  }

  /// Reports progress.
  ///
  /// - Parameters:
  ///   - done: the amount done.
  ///   - total: the total amount; nil if unknown.
  func show(_ done: Int, of total: Int? = nil) {
    state.withLock {
      $0.done = done
      $0.total = total
    }
  }

  private func tick() async {
    try? await Task.sleep(for: Self.patience)
    while !Task.isCancelled {
      let (done, total) = state.withLock { state in
        state.hasShown = true
        return (state.done, state.total)
      }
      let text = ProgressLine(
        what: what,
        unit: unit,
        done: done,
        total: total,
        elapsed: ContinuousClock.now - start
      )
      Output.rewrite(text.fitting(Output.columns(of: STDERR_FILENO) ?? 80))
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Removes the line.
  private func end(_ ticking: Task<Void, Never>) async {
    ticking.cancel()
    await ticking.value
    if state.withLock({ $0.hasShown }) { Output.rewrite("") }
  }
}
#endif
