import Testing
import VarveCore
import VarveModels
import VarveStore
import VarveTestSupport

@Suite("A store that follows the phases of its application", .timeLimit(.minutes(1)))
@MainActor
struct PhaseFollowerTests {
  let scratch: Scratch
  private var path: String { scratch.path("store") }

  init() throws { scratch = try Scratch() }

  @Test func `is suspended while it is in the background, and says when its file is released`()
    async throws
  {
    let store = try await Store.open(path)
    let follower = PhaseFollower(store)
    let (releases, release) = AsyncStream<Void>.makeStream()
    follower.leave { release.yield() }
    var iterator = releases.makeAsyncIterator()
    await iterator.next()
    #expect(await failure { _ = try await store.create("Hat") }?.code == .suspended)
    follower.comeBack()
    await follower.settle()
    _ = try await store.create("Hat")
    try await store.close()
  }

  @Test(arguments: [false, true])
  func `obeys the last phase, however fast they follow each other`(isLeft: Bool) async throws {
    let store = try await Store.open(path)
    let follower = PhaseFollower(store)
    for _ in 0..<50 {
      follower.leave()
      follower.comeBack()
    }
    if isLeft { follower.leave() }
    await follower.settle()
    let refusal = await failure { _ = try await store.create("Hat") }
    #expect(refusal?.code == (isLeft ? .suspended : nil))
    try await store.close()
  }

  @Test func `says that the file is released where the store is closed, and opens nothing`()
    async throws
  {
    let store = try await Store.open(path)
    try await store.close()
    let follower = PhaseFollower(store)
    let (releases, release) = AsyncStream<Void>.makeStream()
    follower.leave { release.yield() }
    var iterator = releases.makeAsyncIterator()
    await iterator.next()
    follower.comeBack()
    await follower.settle()
    #expect(await failure { _ = try await store.create("Hat") }?.code == .closed)
  }
}
