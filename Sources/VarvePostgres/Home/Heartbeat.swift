import Synchronization
import VarveCore

/// Shows the server at intervals that the holder of a transaction is alive. Most turns end before
/// the first.
final class Heartbeat: Sendable {
  private struct State {
    var next: Deadlines.ID?
    var beating: Task<Void, Never>?
    var isEnded = false
  }

  private let connection: PostgresConnection
  /// Who has it uses the connection.
  private let use: Permits
  private let interval: Duration
  private let state = Mutex(State())

  init(_ connection: PostgresConnection, _ use: Permits, every interval: Duration) {
    self.connection = connection
    self.use = use
    self.interval = interval
    wait()
  }

  /// Ends it, once the beat that is under way is done.
  func end() async {
    let beating = state.withLock { state in
      state.isEnded = true
      if let next = state.next { Deadlines.shared.remove(next) }
      return state.beating
    }
    await beating?.value
  }

  private func wait() {
    let next = Deadlines.shared.add(.now + interval) { [weak self] in self?.begin() }
    state.withLock { state in
      guard !state.isEnded else { return Deadlines.shared.remove(next) }
      state.next = next
    }
  }

  private func begin() {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.beating = Task { [weak self] in await self?.beat() }
    }
  }

  private func beat() async {
    do {
      guard try await use.take(until: .now + .seconds(3_600)) else { return }
      defer { use.giveBack() }
      _ = try await connection.run([HomeStatement.beat()], isCancellable: false)
    } catch {
      // The transaction is lost, which its holder notices.
      return
    }
    wait()
  }
}
