import Foundation
import Testing
import Varve

@Suite("What people do weekly with SwiftData and Realm is done as documented") @MainActor
struct ObjectTaskExampleTests {
  private let path = NSTemporaryDirectory() + "varve-weekly-\(UUID().uuidString)"

  @Test func `open, from SwiftData and Realm`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    // snippet: Documentation/WeeklyTasks.md
    let store = try await Store.open(path)
    // end
    try await store.close()
  }

  @Test func `insert and save, from SwiftData and Realm`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.save(Player(name: "Dan", team: reds.ref))
    // end
    #expect(try await store.count(Player.all) == 4)
  }

  @Test func `change an object, from SwiftData and Realm`() async throws {
    let (store, _, saved) = try await league()
    var ann = saved
    // snippet: Documentation/WeeklyTasks.md
    ann.score = 6
    try await store.save(ann)
    // end
    #expect(try await store.require(ann.id).score == 6)
  }

  @Test func `delete an object, from SwiftData and Realm`() async throws {
    let (store, _, ann) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(ann)
    // end
    #expect(try await store.find(ann.id) == nil)
  }

  @Test func `delete an owner with what it owns, from SwiftData and Realm`() async throws {
    let (store, reds, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.erase(reds)
    // end
    #expect(try await store.count(Player.all) == 0)
  }

  @Test func `query with a predicate and an order, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let best = try await store.fetch(Player.where { $0.score > 5 }.order(by: \.name))
    // end
    #expect(best.map(\.name) == ["Ben", "Cid"])
  }

  @Test func `compare texts without case, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let found = try await store.fetch(Player.where { $0.name.ignoringCase == "ANN" })
    // end
    #expect(found.map(\.name) == ["Ann"])
  }

  @Test func `query by a related object, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let ofReds = try await store.fetch(Player.where { $0.team.name == "Reds" })
    // end
    #expect(ofReds.count == 3)
  }

  @Test func `query by a count of related objects, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let large = try await store.fetch(Team.where { $0.players.count() > 2 })
    // end
    #expect(large.map(\.name) == ["Reds"])
  }

  @Test func `count, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let count = try await store.count(Player.where { $0.score > 5 })
    // end
    #expect(count == 2)
  }

  @Test func `sum and greatest value, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let (sum, best) = try await store.aggregate(Player.all, .sum(\.score), .maximum(\.score))
    // end
    #expect(sum == 21 && best == 9)
  }

  @Test func `a list that follows the store, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    let players = LiveResults(Player.all.order(by: \.name), in: store)
    // end
    try await players.settle()
    #expect(players.models.count == 3)
  }

  @Test func `a store with sample data for previews, from SwiftData and Realm`() async throws {
    // snippet: Documentation/WeeklyTasks.md
    let sample = Store.preview { try await $0.save([Player(name: "Ann"), Player(name: "Ben")]) }
    // end
    #expect(try await sample.count(Player.all) == 2)
  }

  @Test func `update many, from SwiftData and Realm`() async throws {
    let (store, _, _) = try await league()
    // snippet: Documentation/WeeklyTasks.md
    try await store.update(Player.all) { $0.set(\.score, 0) }
    // end
    #expect(try await store.count(Player.where { $0.score == 0 }) == 3)
  }
}
