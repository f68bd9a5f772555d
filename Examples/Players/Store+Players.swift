import Foundation
package import Varve

extension Store {
  /// Opens the players of this user. A new store is filled with random players.
  package static func players() async throws -> Store {
    let folder = try FileManager.default.url(
      for: .applicationSupportDirectory,
      in: .userDomainMask,
      appropriateFor: nil,
      create: true
    )
    let store = try await Store.open(url: folder.appending(path: "players.varve"))
    try await store.createRandomPlayersIfEmpty()
    return store
  }

  /// Random players in memory, for the previews of views.
  package static func randomPlayers() -> Store {
    preview { try await $0.createRandomPlayersIfEmpty() }
  }

  package func createRandomPlayersIfEmpty() async throws {
    try await write { tx in
      if try await tx.isEmpty(Player.all) { try await tx.save(Self.eightPlayers) }
    }
  }

  /// Changes some players by chance, as a game would.
  package func refreshPlayers() async throws {
    try await write(message: "refresh") { tx in
      guard try await !tx.isEmpty(Player.all) else {
        try await tx.save(Self.eightPlayers)
        return
      }
      if Bool.random() { try await tx.save(Player.random()) }
      let players = try await tx.fetch(Player.all)
      if Bool.random(), let player = players.randomElement() { try await tx.erase(player) }
      for var player in try await tx.fetch(Player.all) where Bool.random() {
        player.score = Player.randomScore()
        try await tx.save(player)
      }
    }
  }

  private static var eightPlayers: [Player] { (0..<8).map { _ in Player.random() } }
}
