package import Foundation
import Observation
package import Varve

/// The players that a view shows, always up to date.
@Observable @MainActor package final class PlayerList {
  package var ordering = Player.Ordering.byScore {
    didSet { results.query = Player.ordered(ordering) }
  }

  /// The state that is shown. A slider can set it to a past one.
  package var moment: Moment {
    get { results.moment }
    set { results.moment = newValue }
  }

  package var players: [Player] { results.models }

  private let store: Store
  private let results: LiveResults<Player>

  package init(_ store: Store) {
    self.store = store
    results = LiveResults(Player.ordered(.byScore), in: store)
  }

  package func deletePlayers(at offsets: IndexSet) async throws {
    try await store.erase(offsets.map { players[$0] })
  }

  package func deleteAllPlayers() async throws {
    try await store.erase(Player.all)
  }

  package func refreshPlayers() async throws { try await store.refreshPlayers() }

  /// Refreshes the players fifty times at once.
  package func refreshPlayersManyTimes() async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 { group.addTask { [store] in try await store.refreshPlayers() } }
      try await group.waitForAll()
    }
  }

  /// Undoes the newest change, even if it deleted all players.
  package func undo() async throws {
    if let last = try await store.log(limit: 1).first { try await store.undo(last.id) }
  }

  /// Waits until the players include all changes so far.
  package func settle() async throws { try await results.settle() }
}
