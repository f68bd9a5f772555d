import Testing
import Varve

@Suite("What people do weekly with Fluent is done as documented") @MainActor
struct FluentTaskExampleTests {
  @Test func `create, from Fluent`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test func `find by identifier, from Fluent`() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let player = try await store.find(ann.id)
    // end
    #expect(player?.name == "Ann")
  }

  @Test func `filter and sort, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(Player.where { $0.score > 5 }.order(by: \.name))
    // end
    #expect(best.count == 2)
  }

  @Test func `the first, from Fluent`() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let first = try await store.first(Player.where { $0.name == "Ann" })
    // end
    #expect(first?.id == ann.id)
  }

  @Test func `update, from Fluent`() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test func `update by query, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.where { $0.score < 8 }) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 2)
  }

  @Test func `delete, and restore, from Fluent`() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(ann)
    try await store.restore(ann.id.entityID)
    // end
    #expect(try await store.find(ann.id) == ann)
  }

  @Test func `load a parent, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = try await store.fetch(Player.all.with(\.team))
    // end
    #expect(players.first?.team?.loaded?.name == "Reds")
  }

  @Test func `load children, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let teams = try await store.fetch(Team.all.with(\.players))
    // end
    #expect(teams.first?.players.loaded?.count == 3)
  }

  @Test func `query children, from Fluent`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(reds.query(\.players).where { $0.score > 5 })
    // end
    #expect(best.count == 2)
  }

  @Test func `attach and detach, from Fluent`() async throws {
    let (store, reds, _) = try await league()
    let dan = try await store.save(Player(name: "Dan"))
    // snippet: Documentation/WeeklyTasks.md
    try await store.add([dan], to: \.players, of: reds)
    try await store.remove([dan], from: \.players, of: reds)
    // end
    #expect(try await store.history(of: dan, \.team).map(\.value??.id) == [nil, reds.id])
    #expect(try await store.count(reds.query(\.players)) == 3)
  }

  @Test func `filter by a joined model, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let ofReds = try await store.fetch(Player.where { $0.team.name == "Reds" })
    // end
    #expect(ofReds.count == 3)
  }

  @Test func `distinct values, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let scores = try await store.fetch(Player.all.distinct.select(\.score))
    // end
    #expect(scores.count == 3)
  }

  @Test func `sums, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let sum = try await store.aggregate(Player.all, .sum(\.score))
    // end
    #expect(sum == 21)
  }

  @Test func `a page, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let page = try await store.page(of: Player.all.order(by: \.name), size: 2)
    // end
    #expect(page.models.count == 2)
  }

  @Test func `a transaction, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.write { tx in
      try await tx.save(Player(name: "Dan"))
    }
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test func `rows one after another, from Fluent`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    for try await player in store.stream(Player.all) { print(player.name) }
    // end
  }
}
