import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("A subscription from an earlier state")
struct PastChangeTests {
  @Test(arguments: [true, false])
  func `reads each commit once, in parts, whoever wrote it`(isForeign: Bool) async throws {
    let backend = CountedBackend()
    let store = Store(backend: backend)
    let writer = isForeign ? try await makeStore(.reference) : store
    try await writer.createNodes("owner")
    for number in 0..<30 {
      let id = try EntityID("node \(number)")
      try await writer.create("t", id: id, ["x": 1])
      try await writer.own(("owner", id))
    }
    try await writer.erase("node 3")
    if isForeign { try await store.merge(from: writer) }
    backend.parts.withLock { $0 = [] }
    let changes = try await store.changes(since: .empty)
    let parts = backend.parts.withLock { $0 }
    #expect(parts.reduce(0) { $0 + $1.commitCount } == 62)
    #expect(parts.allSatisfy { $0.limit <= 4 << 20 })
    var added: [EntityID] = []
    var erased: [EntityID] = []
    while let change = changes.poll() {
      added += change.added
      erased += change.erased
    }
    #expect(added.count == 31)
    #expect(erased == ["node 3"])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `receives the newest as one change set, from however far behind`(engine: Engine) async throws
  {
    let store = try await makeStore(engine)
    let begin = try await store.frontier()
    let count = engine == .reference ? 1_030 : 1_300
    for number in 0..<count {
      if number % 2 == 0 {
        try await store.create("t", id: EntityID("\(number)"))
      } else {
        try await store.erase(EntityID("\(number - 1)"))
      }
    }
    let changes = try await store.changes(since: begin)
    var sets: [ChangeSet] = []
    while let change = changes.poll() { sets.append(change) }
    #expect(sets.count == 1_024)
    #expect(sets.last?.commitCount == count - 1_023)
    #expect(sets.last?.resumption == (try await store.frontier()))
    // The last one has what was created and erased meanwhile in neither list.
    #expect(sets.reduce(0) { $0 + $1.added.count } == 512)
    #expect(sets.reduce(0) { $0 + $1.erased.count } == 512)
  }
}

/// A store in memory that counts the commits read from its log.
private final class CountedBackend: BackendDecorator {
  struct Part {
    let limit: Int
    let commitCount: Int
  }

  let inner = ReferenceBackend()
  let parts = Mutex<[Part]>([])

  func commits(beyond frontier: Frontier, atMost byteCount: Int) async throws -> [Commit] {
    let commits = try await inner.commits(beyond: frontier, atMost: byteCount)
    parts.withLock { $0.append(Part(limit: byteCount, commitCount: commits.count)) }
    return commits
  }
}
