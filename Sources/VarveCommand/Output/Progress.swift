import Foundation
import Synchronization

/// A line on standard error about work that takes more than a second: how far it is, how fast, how
/// long it will take. Silent where standard error is no terminal.
///
/// The line moves by itself, also while the work tells nothing.
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

  /// Does some work with a line about it.
  ///
  /// - Parameters:
  ///   - what: the work.
  ///   - unit: what it counts.
  ///   - isWanted: whether there is room for a line.
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

  /// Tells how far the work is.
  ///
  /// - Parameters:
  ///   - done: how much is done.
  ///   - total: of how much, where that is known.
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

  /// Takes the line away.
  private func end(_ ticking: Task<Void, Never>) async {
    ticking.cancel()
    await ticking.value
    if state.withLock({ $0.hasShown }) { Output.rewrite("") }
  }
}
