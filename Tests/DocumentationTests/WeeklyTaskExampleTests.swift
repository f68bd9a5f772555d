import Foundation
import Testing
import Varve

// snippet: Documentation/WeeklyTasks.md
@Entity struct Team {
  var id = Identifier<Team>()
  @Field(.unique) var name: String
  @Relation(.owns, inverse: \Player.team) var players: Many<Player> = Many()
}

@Entity(indexedTogether: [["team", "score"]]) struct Player {
  var id = Identifier<Player>()
  @Field(.searchable) var name: String
  var score = 0
  var team: Ref<Team>?
}
// end

@Suite("The weekly tasks are done as documented") @MainActor
struct WeeklyTaskExampleTests {
  private let path = NSTemporaryDirectory() + "varve-weekly-\(UUID().uuidString)"

  /// A store with a team of three players.
  private func league() async throws -> (store: Store, reds: Team, ann: Player) {
    let store = try await Store.open(.inMemory)
    let reds = try await store.save(Team(name: "Reds"))
    let scores = ["Ann": 5, "Ben": 7, "Cid": 9]
    let players = scores.sorted { $0.key < $1.key }
      .map { Player(name: $0.key, score: $0.value, team: reds.ref) }
    let saved = try await store.save(players)
    return (store, reds, saved[0])
  }

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

  @Test("Open, from SwiftData and Realm")
  func objects0() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    // snippet: Documentation/WeeklyTasks.md
    let store = try await Store.open(path)
    // end
    try await store.close()
  }

  @Test("Insert and save, from SwiftData and Realm")
  func objects1() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test("Change an object, from SwiftData and Realm")
  func objects2() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test("Delete an object, from SwiftData and Realm")
  func objects3() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(ann)
    // end
    #expect(try await store.find(ann.id) == nil)
  }

  @Test("Delete an owner with what it owns, from SwiftData and Realm")
  func objects4() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(reds)
    // end
    #expect(try await store.count(Player.all) == 0)
  }

  @Test("Query with a predicate and an order, from SwiftData and Realm")
  func objects5() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(Player.where { $0.score > 5 }.order(by: \.name))
    // end
    #expect(best.map(\.name) == ["Ben", "Cid"])
  }

  @Test("Compare texts without case, from SwiftData and Realm")
  func objects6() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let found = try await store.fetch(Player.where { $0.name.ignoringCase == "ANN" })
    // end
    #expect(found.map(\.name) == ["Ann"])
  }

  @Test("Query by a related object, from SwiftData and Realm")
  func objects7() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let ofReds = try await store.fetch(Player.where { $0.team.name == "Reds" })
    // end
    #expect(ofReds.count == 3)
  }

  @Test("Query by a count of related objects, from SwiftData and Realm")
  func objects8() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let large = try await store.fetch(Team.where { $0.players.count() > 2 })
    // end
    #expect(large.map(\.name) == ["Reds"])
  }

  @Test("Count, from SwiftData and Realm")
  func objects9() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let count = try await store.count(Player.where { $0.score > 5 })
    // end
    #expect(count == 2)
  }

  @Test("Sum and greatest value, from SwiftData and Realm")
  func objects10() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let (sum, best) = try await store.aggregate(Player.all, .sum(\.score), .maximum(\.score))
    // end
    #expect(sum == 21 && best == 9)
  }

  @Test("A list that follows the store, from SwiftData and Realm")
  func objects11() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = LiveResults(Player.all.order(by: \.name), in: store)
    // end
    try await players.settle()
    #expect(players.models.count == 3)
  }

  @Test("A store with sample data for previews, from SwiftData and Realm")
  func objects12() async throws {
    // snippet: Documentation/WeeklyTasks.md
    let sample = Store.preview { try await $0.save([Player(name: "Ann"), Player(name: "Ben")]) }
    // end
    #expect(try await sample.count(Player.all) == 2)
  }

  @Test("Update many, from SwiftData and Realm")
  func objects13() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.all) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 3)
  }

  @Test("Create, from Fluent")
  func fluent0() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test("Find by identifier, from Fluent")
  func fluent1() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let player = try await store.find(ann.id)
    // end
    #expect(player?.name == "Ann")
  }

  @Test("Filter and sort, from Fluent")
  func fluent2() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(Player.where { $0.score > 5 }.order(by: \.name))
    // end
    #expect(best.count == 2)
  }

  @Test("The first, from Fluent")
  func fluent3() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let first = try await store.first(Player.where { $0.name == "Ann" })
    // end
    #expect(first?.id == ann.id)
  }

  @Test("Update, from Fluent")
  func fluent4() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test("Update by query, from Fluent")
  func fluent5() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.where { $0.score < 8 }) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 2)
  }

  @Test("Delete, and restore, from Fluent")
  func fluent6() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(ann)
    try await store.restore(ann.id.entityID)
    // end
    #expect(try await store.find(ann.id) == ann)
  }

  @Test("Load a parent, from Fluent")
  func fluent7() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = try await store.fetch(Player.all.with(\.team))
    // end
    #expect(players.first?.team?.loaded?.name == "Reds")
  }

  @Test("Load children, from Fluent")
  func fluent8() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let teams = try await store.fetch(Team.all.with(\.players))
    // end
    #expect(teams.first?.players.loaded?.count == 3)
  }

  @Test("Query children, from Fluent")
  func fluent9() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(reds.query(\.players).where { $0.score > 5 })
    // end
    #expect(best.count == 2)
  }

  @Test("Attach and detach, from Fluent")
  func attaching() async throws {
    let (store, reds, _) = try await league()
    let dan = try await store.save(Player(name: "Dan"))
    // snippet: Documentation/WeeklyTasks.md
    try await store.add([dan], to: \.players, of: reds)
    try await store.remove([dan], from: \.players, of: reds)
    // end
    #expect(try await store.history(of: dan, \.team).map(\.value??.id) == [nil, reds.id])
    #expect(try await store.count(reds.query(\.players)) == 3)
  }

  @Test("Filter by a joined model, from Fluent")
  func fluent10() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let ofReds = try await store.fetch(Player.where { $0.team.name == "Reds" })
    // end
    #expect(ofReds.count == 3)
  }

  @Test("Distinct values, from Fluent")
  func fluent11() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let scores = try await store.fetch(Player.all.distinct.select(\.score))
    // end
    #expect(scores.count == 3)
  }

  @Test("Sums, from Fluent")
  func fluent12() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let sum = try await store.aggregate(Player.all, .sum(\.score))
    // end
    #expect(sum == 21)
  }

  @Test("A page, from Fluent")
  func fluent13() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let page = try await store.page(of: Player.all.order(by: \.name), size: 2)
    // end
    #expect(page.models.count == 2)
  }

  @Test("A transaction, from Fluent")
  func fluent14() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.write { tx in
      try await tx.save(Player(name: "Dan"))
    }
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test("Rows one after another, from Fluent")
  func fluent15() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    for try await player in store.stream(Player.all) { print(player.name) }
    // end
  }

  @Test("Ours is at most one line longer than the shortest of the others")
  func lengths() throws {
    var ours = 0
    var others: [Int] = []
    var open: (isOurs: Bool, count: Int)?
    func finish() { #expect(others.isEmpty || ours <= (others.min() ?? 0) + 1) }
    for line in try Repository.text("Documentation/WeeklyTasks.md").split(separator: "\n") {
      if line.hasPrefix("### ") {
        finish()
        others = []
      } else if line.hasPrefix("```"), let block = open {
        if block.isOurs { ours = block.count } else { others.append(block.count) }
        open = nil
      } else if line.hasPrefix("```swift") {
        open = (line == "```swift", 0)
      } else {
        open?.count += 1
      }
    }
    finish()
    #expect(!others.isEmpty)
  }
}
