import Foundation
import Testing
import Varve

@Suite("What people do weekly with GRDB and SQLiteData is done as documented") @MainActor
struct SQLTaskExampleTests {
  private let path = NSTemporaryDirectory() + "varve-weekly-\(UUID().uuidString)"

  @Test func `insert, from GRDB and SQLiteData`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", score: 3, team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test func `find by identifier, from GRDB and SQLiteData`() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let player = try await store.require(ann.id)
    // end
    #expect(player.name == "Ann")
  }

  @Test func `filter, order and limit, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let query = Player.where { $0.score > 5 }.order(by: \.score, descending: true).limit(10)
    let best = try await store.fetch(query)
    // end
    #expect(best.map(\.name) == ["Cid", "Ben"])
  }

  @Test func `update what changed, from GRDB and SQLiteData`() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test func `update all of a query, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.where { $0.score < 8 }) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 2)
  }

  @Test func `delete all of a query, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(Player.where { $0.score < 8 })
    // end
    #expect(try await store.count(Player.all) == 1)
  }

  @Test func `upsert, from GRDB and SQLiteData`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let team = try await store.upsert(Team(name: "Reds"), on: \.name)
    // end
    #expect(team.id == reds.id)
  }

  @Test func `insert unless it is there, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let team = try await store.insert(Team(name: "Reds"), ifAbsent: \.name)  // nil
    // end
    #expect(team == nil)
  }

  @Test func `several writes, and a part that may fail, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.write { tx in
      try await tx.save(Player(name: "Dan"))
      _ = try? await tx.attempt { try await tx.save(Team(name: "Reds")) }
    }
    // end
    #expect(try await store.count(Player.all) == 4)
    #expect(try await store.count(Team.all) == 1)
  }

  @Test func `groups with a condition, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let groups = Player.all.grouped(by: \.team).having(.count > 1)
    let rows = try await store.aggregate(groups, .count, .sum(\.score))
    // end
    #expect(rows.count == 1)
  }

  @Test func `load what a row refers to, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = try await store.fetch(Player.all.with(\.team))
    // end
    #expect(players.first?.team?.loaded?.name == "Reds")
  }

  @Test func `search words, the best first, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let found = try await store.fetch(Player.all.matching("an*", byRelevance: true))
    // end
    #expect(found.map(\.name) == ["Ann"])
  }

  @Test func `follow a query, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let results = LiveResults(Player.all.order(by: \.name), in: store)
    // end
    try await results.settle()
    #expect(results.models.count == 3)
  }

  @Test func `your own SQL, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let rows = try await store.rows(sql: "SELECT name FROM players WHERE score > ?", [5])
    // end
    #expect(rows.count == 2)
  }

  @Test func `an index on several columns, added and dropped, from GRDB and SQLiteData`()
    async throws
  {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.addIndex(on: ["name", "score"], of: "players")
    try await store.removeIndex(on: ["name", "score"], of: "players")
    // end
  }

  @Test func `a backup while others write, from GRDB and SQLiteData`() async throws {
    let (store, _, _) = try await league()
    defer { try? FileManager.default.removeItem(atPath: path) }
    // snippet: Documentation/WeeklyTasks.md
    try await store.backup(to: path)
    // end
    #expect(try await store.check().isClean)
  }
}
