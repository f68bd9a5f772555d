import Foundation
import Players
import Testing
import Varve

@Suite("The example of the players") @MainActor
struct PlayersExampleTests {
  /// A list of three players.
  private func list() async throws -> (list: PlayerList, store: Store) {
    let store = try await Store.open(.inMemory)
    try await store.save([
      Player(name: "bea", score: 10), Player(name: "Ann", score: 10),
      Player(name: "Cid", score: 20),
    ])
    let list = PlayerList(store)
    try await list.settle()
    return (list, store)
  }

  @Test func `a saved player is found, and saved again with a new score`() async throws {
    let store = try await Store.open(.inMemory)
    var ann = try await store.save(Player(name: "Ann", score: 10))
    #expect(try await store.fetch(Player.all).map(\.name) == ["Ann"])
    ann.score = 30
    try await store.save(ann)
    #expect(try await store.require(ann.id).score == 30)
    #expect(try await store.history(of: ann, \.score).map(\.value) == [30, 10])
  }

  @Test func `the list orders by score, or by name without regard to case`() async throws {
    let (list, _) = try await list()
    #expect(list.players.map(\.name) == ["Cid", "Ann", "bea"])
    list.ordering = .byName
    try await list.settle()
    #expect(list.players.map(\.name) == ["Ann", "bea", "Cid"])
  }

  @Test func `the list follows the store`() async throws {
    let (list, store) = try await list()
    try await store.save(Player(name: "Dan", score: 99))
    try await list.settle()
    #expect(list.players.first?.name == "Dan")
  }

  @Test func `deleted players come back by undo, and are in past states`() async throws {
    let (list, store) = try await list()
    let before = Moment.frontier(try await store.frontier())
    try await list.deletePlayers(at: [0, 2])
    try await list.settle()
    #expect(list.players.map(\.name) == ["Ann"])
    list.moment = before
    try await list.settle()
    #expect(list.players.count == 3)
    list.moment = .now
    try await list.deleteAllPlayers()
    try await list.settle()
    #expect(list.players.isEmpty)
    try await list.undo()
    try await list.settle()
    #expect(list.players.map(\.name) == ["Ann"])
  }

  @Test func `random players are created in an empty store only`() async throws {
    let store = Store.randomPlayers()
    try await store.createRandomPlayersIfEmpty()
    #expect(try await store.count(Player.all) == 8)
  }

  @Test func `many refreshes at once change the players one after another`() async throws {
    let store = try await Store.open(.inMemory)
    let list = PlayerList(store)
    try await list.refreshPlayersManyTimes()
    #expect(try await store.log().count { $0.message == "refresh" } > 1)
    try await list.settle()
    #expect(list.players.count == (try await store.count(Player.all)))
  }
}
