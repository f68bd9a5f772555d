import Foundation
import Testing
import Varve

@Suite("What people do weekly with GRDB and SQLiteData is done as documented") @MainActor
struct SQLTaskExampleTests {
  private let path = NSTemporaryDirectory() + "varve-weekly-\(UUID().uuidString)"

  @Test("Insert, from GRDB and SQLiteData")
  func sql0() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", score: 3, team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test("Find by identifier, from GRDB and SQLiteData")
  func sql1() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let player = try await store.require(ann.id)
    // end
    #expect(player.name == "Ann")
  }

  @Test("Filter, order and limit, from GRDB and SQLiteData")
  func sql2() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let query = Player.where { $0.score > 5 }.order(by: \.score, descending: true).limit(10)
    let best = try await store.fetch(query)
    // end
    #expect(best.map(\.name) == ["Cid", "Ben"])
  }

  @Test("Update what changed, from GRDB and SQLiteData")
  func sql3() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test("Update all of a query, from GRDB and SQLiteData")
  func sql4() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.where { $0.score < 8 }) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 2)
  }

  @Test("Delete all of a query, from GRDB and SQLiteData")
  func sql5() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(Player.where { $0.score < 8 })
    // end
    #expect(try await store.count(Player.all) == 1)
  }

  @Test("Upsert, from GRDB and SQLiteData")
  func sql6() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let team = try await store.upsert(Team(name: "Reds"), on: \.name)
    // end
    #expect(team.id == reds.id)
  }

  @Test("Insert unless it is there, from GRDB and SQLiteData")
  func sql7() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let team = try await store.insert(Team(name: "Reds"), ifAbsent: \.name)  // nil
    // end
    #expect(team == nil)
  }

  @Test("Several writes, and a part that may fail, from GRDB and SQLiteData")
  func sql8() async throws {
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

  @Test("Groups with a condition, from GRDB and SQLiteData")
  func sql9() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let groups = Player.all.grouped(by: \.team).having(.count > 1)
    let rows = try await store.aggregate(groups, .count, .sum(\.score))
    // end
    #expect(rows.count == 1)
  }

  @Test("Load what a row refers to, from GRDB and SQLiteData")
  func sql10() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = try await store.fetch(Player.all.with(\.team))
    // end
    #expect(players.first?.team?.loaded?.name == "Reds")
  }

  @Test("Search words, the best first, from GRDB and SQLiteData")
  func sql11() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let found = try await store.fetch(Player.all.matching("an*", byRelevance: true))
    // end
    #expect(found.map(\.name) == ["Ann"])
  }

  @Test("Follow a query, from GRDB and SQLiteData")
  func sql12() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let results = LiveResults(Player.all.order(by: \.name), in: store)
    // end
    try await results.settle()
    #expect(results.models.count == 3)
  }

  @Test("Your own SQL, from GRDB and SQLiteData")
  func sql13() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let rows = try await store.rows(sql: "SELECT name FROM players WHERE score > ?", [5])
    // end
    #expect(rows.count == 2)
  }

  @Test("An index on several columns, added and dropped, from GRDB and SQLiteData")
  func sql14() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.addIndex(on: ["name", "score"], of: "players")
    try await store.removeIndex(on: ["name", "score"], of: "players")
    // end
  }

  @Test("A backup while others write, from GRDB and SQLiteData")
  func sql15() async throws {
    let (store, _, _) = try await league()
    defer { try? FileManager.default.removeItem(atPath: path) }
    // snippet: Documentation/WeeklyTasks.md
    try await store.backup(to: path)
    // end
    #expect(try await store.check().isClean)
  }
}
