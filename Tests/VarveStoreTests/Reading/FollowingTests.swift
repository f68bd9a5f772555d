import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Following the home of a log")
struct FollowingTests {
  @Test func `a store follows whatever its backend says`() async throws {
    let backend = FollowingBackend()
    let store = Store(backend: backend)

    try await store.followHome()
    let position = try #require(try await store.position())
    #expect(position.description.hasPrefix("3-"))
    try await store.followHome(atLeast: position)
    #expect(backend.home.applied.withLock { $0 } == [3])

    let text = "5" + position.description.dropFirst()
    try await store.followHome(atLeast: try #require(Store.Position(text)))
    #expect(backend.home.applied.withLock { $0 } == [3, 5])
    #expect(try await store.position()?.description == text)
  }

  @Test func `a store that has its log itself is nowhere at a home, and lacks nothing`()
    async throws
  {
    let store = Store(backend: ReferenceBackend())
    try await store.followHome()
    #expect(try await store.position() == nil)
  }
}

/// A store in memory that pretends to follow a home.
private final class FollowingBackend: BackendDecorator {
  let inner = ReferenceBackend()
  let home = PretendedHome()

  var follower: (any HomeFollower)? { home }
}

/// A home with three arrivals, and more for those who know of them.
private final class PretendedHome: HomeFollower {
  /// The numbers of the arrivals up to which an index was brought.
  let applied = Mutex<[Int64]>([])

  func applyArrivals() async throws -> HomePosition? {
    apply(upTo: 3)
    return try await indexPosition()
  }

  func applyArrivals(atLeast position: HomePosition) async throws { apply(upTo: position.number) }

  func indexPosition() async throws -> HomePosition? {
    applied.withLock { $0.last }.map { HomePosition(incarnation: 1, number: $0, running: 0) }
  }

  func leaveHome(at position: HomePosition) async throws {
    throw VarveError(.unsupported, "a relay alone leaves its home")
  }

  private func apply(upTo number: Int64) { applied.withLock { $0.append(number) } }
}
