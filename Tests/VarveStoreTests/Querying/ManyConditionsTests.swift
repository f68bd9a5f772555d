import Testing
import VarveCore
import VarveStore

/// Queries of very many conditions find what they ask for, or throw a typed error.
@Suite struct ManyConditionsTests {
  @Test(arguments: Engine.allCases, [1_000, 20_000])
  func `joined conditions find the rest`(engine: Engine, count: Int) async throws {
    let store = try await makeStore(engine)
    for size in 0..<3 { try await store.create("Hat", ["size": .int(Int64(count + size))]) }
    let conditions = (0..<count + 1).map { Field("size") != .int(Int64($0)) }
    let all = conditions.dropFirst().reduce(conditions[0]) { $0 && $1 }
    #expect(try await store.fetch(Query("Hat").where(all)).count == 2)
    #expect(try await store.count(Query("Hat").where(!all)) == 1)
  }

  @Test(arguments: Engine.allCases)
  func `more values than SQLite binds are refused or found`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.create("Hat", ["size": 7])
    let conditions = (0..<50_000).map { Field("size") == .int(Int64($0)) }
    let any = conditions.dropFirst().reduce(conditions[0]) { $0 || $1 }
    do {
      #expect(try await store.count(Query("Hat").where(any)) == 1)
    } catch let error as VarveError {
      #expect(error.code == .invalidQuery, "\(error)")
    }
  }
}
