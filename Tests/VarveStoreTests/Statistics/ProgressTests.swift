import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Long operations report their progress")
struct ProgressTests {
  @Test(arguments: Engine.allCases)
  func `a rebuild reports after each commit`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b")
    try await store.set("a", "x", 1)
    let told = Mutex<[RebuildProgress]>([])
    try await store.rebuild { progress in told.withLock { $0.append(progress) } }
    let last = try #require(told.withLock { $0 }.last)
    #expect(last.commitCount == 2)
    #expect(last.totalCount == 2)
  }

  @Test(arguments: [Engine.memory, .file])
  func `a check reports steps that rise to their total`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.createNodes("a", "b", "c")
    try await store.set("a", "x", 1)
    let told = Mutex<[CheckProgress]>([])
    _ = try await store.check { progress in told.withLock { $0.append(progress) } }
    let steps = told.withLock { $0 }
    #expect(steps.map(\.done) == [1, 2, 3, 4, 5])
    #expect(steps.allSatisfy { $0.total == 5 })
  }

  @Test(arguments: Engine.allCases)
  func `a merge reports the total number of commits`(engine: Engine) async throws {
    let (here, there) = (try await makeStore(engine), try await makeStore(engine))
    try await there.createNodes("a")
    try await here.merge(from: there)
    for number in 1...3 { try await there.set("a", "x", .int(Int64(number))) }
    let told = Mutex<[MergeProgress]>([])
    try await here.merge(from: there) { progress in told.withLock { $0.append(progress) } }
    #expect(told.withLock { $0 }.last?.commitCount == 3)
    #expect(told.withLock { $0 }.allSatisfy { $0.totalCount == 3 })
  }

  @Test(arguments: [Engine.memory, .file])
  func `a tally reports after each commit`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    for id: EntityID in ["a", "b", "c"] { try await store.createNodes(id) }
    let told = Mutex<[Int]>([])
    _ = try await store.tally { progress in told.withLock { $0.append(progress.commitCount) } }
    #expect(told.withLock { $0 } == [1, 2, 3])
  }
}
