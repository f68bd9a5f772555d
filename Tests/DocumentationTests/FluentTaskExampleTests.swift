import Testing
import Varve

@Suite("What people do weekly with Fluent is done as documented") @MainActor
struct FluentTaskExampleTests {
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
}
