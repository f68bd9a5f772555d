import Testing
import VarveCore
import VarveStore

@Suite("The author and the message of a commit")
struct AuthorTests {
  @Test(arguments: Engine.allCases)
  func `are nil if none are given, and if they are empty`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", id: "a")
    try await store.write(author: "", message: "") { transaction in
      #expect(transaction.author == nil && transaction.message == nil)
      try await transaction.set("a", "color", "red")
    }
    #expect(try await store.log().allSatisfy { $0.author == nil && $0.message == nil })
    #expect(try await store.history(of: "a").allSatisfy { $0.author == nil })
    try await store.as("sam", message: "repainted").set("a", "color", "blue")
    let commit = try #require(try await store.log(limit: 1).first)
    #expect(commit.author == "sam" && commit.message == "repainted")
  }
}
