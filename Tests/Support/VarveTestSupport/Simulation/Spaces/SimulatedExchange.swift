import VarveCore
import VarveSync

/// An exchange that is under way.
final class SimulatedExchange {
  private let gate = TurnGate()
  private let network: SimulatedNetwork
  private let task: Task<Result<SpaceExchange.Outcome, any Error>, Never>

  /// Begins an exchange, which waits for its first turn.
  init(
    of client: SimulatedClient,
    _ server: SimulatedServer,
    seed: UInt64,
    mishaps: Int,
    limits: SyncLimits
  ) async {
    let number = client.store.number
    let network = SimulatedNetwork(server, from: number, gate, seed: seed, mishaps: mishaps)
    let log = FaultedSpaceLog(
      FaultyLog(store: client.store),
      server.fault == .bindingsForgotten ? server.fault : nil
    )
    // A reference backend remembers no space.
    let address = number % 2 == 1 ? SpaceSimulation.address : nil
    let meeting = client.meeting
    self.network = network
    task = Task { [gate] in
      await gate.wait()
      var exchange = SpaceExchange(log, network, at: address, limits: limits)
      let result: Result<SpaceExchange.Outcome, any Error>
      do {
        result = .success(try await exchange.run(after: meeting))
      } catch {
        result = .failure(error)
      }
      gate.end()
      return result
    }
    await gate.waitForTask()
  }

  func giveTurn() async { await gate.giveTurn() }

  /// Breaks the connection.
  func cut() { network.cut() }

  /// The result; nil while it goes on.
  var result: Result<SpaceExchange.Outcome, any Error>? {
    get async { gate.isOver ? await task.value : nil }
  }
}
