import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

/// An exchange with a space names the heads of the space before it fetches them, so it can tell
/// whether they arrived.
@Suite("A commit whose header changed in the reply of a space")
struct ChangedReplyTests {
  private let clock = TestClock()

  private func backend(_ count: Int) async throws -> SQLiteBackend {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    let backend = try await SQLiteBackend.open(.inMemory, configuration: configuration)
    for n in 0..<count {
      _ = try await backend.write(WriteRequest(author: "Sam", message: "one")) { writer in
        try await Operation.create(Creation(EntityID("\(n)"), "Hat", [])).apply(to: writer)
      }
    }
    return backend
  }

  @Test(
    arguments: ChangedHeaderTests.Change.allCases
  )
  func `is not the head that the space named: the exchange reports damage`(
    change: ChangedHeaderTests.Change
  ) async throws {
    let (space, store) = (try await backend(1), try await backend(0))
    let genuine = try await space.commits(beyond: .empty, atMost: .max)
    var changed = SpaceExchange(store, ChangingTransport(space, changing: 1, by: change))
    let error = await #expect(throws: VarveError.self) { try await changed.run() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("commit 1 of replica \(genuine[0].id.replica)") == true)
    #expect(try await store.commits(beyond: .empty, atMost: .max).count == 1)

    var exchange = SpaceExchange(store, ChangingTransport(space))
    #expect(try await exchange.run().report.isComplete)
    #expect(try await store.held(among: genuine.map(\.id)).count == 1)
    try await expectEqual(space, store)
    #expect(try await store.check { _ in }.findings == [])
  }

  @Test(
    arguments: ChangedHeaderTests.Change.allCases
  )
  func `leaves the genuine one awaited, if another follows it`(change: ChangedHeaderTests.Change)
    async throws
  {
    let (space, store) = (try await backend(2), try await backend(0))
    let genuine = try await space.commits(beyond: .empty, atMost: .max)
    var changed = SpaceExchange(store, ChangingTransport(space, changing: 1, by: change))
    let outcome = try await changed.run()
    #expect(outcome.report.waiting == [Waiting(needed: genuine[0].id, commitCount: 1)])
    #expect(outcome.meeting == nil)
  }

  @Test func `a commit whose header changed in the reply of a space stops nothing that is sent`()
    async throws
  {
    let (space, store) = (try await backend(1), try await backend(3))
    let written = try await store.commits(beyond: .empty, atMost: .max).map(\.id)
    var exchange = SpaceExchange(store, ChangingTransport(space, changing: 1, by: .author))
    await #expect(throws: VarveError.self) { try await exchange.run() }
    #expect(try await space.held(among: written) == Set(written))
  }
}

/// Carries requests to a space in this process, and changes a header in its replies.
private struct ChangingTransport: SpaceTransport {
  let responder: SpaceResponder
  let sequence: Int64
  let change: ChangedHeaderTests.Change?

  init(
    _ space: any CommitLog,
    changing sequence: Int64 = 0,
    by change: ChangedHeaderTests.Change? = nil
  ) {
    responder = SpaceResponder(space)
    (self.sequence, self.change) = (sequence, change)
  }

  func sealed(_ request: [UInt8]) async throws -> [UInt8] {
    try await responder.sealed(request, mayBegin: true)
  }

  func compare(_ request: CompareRequest) async throws -> CompareAnswer {
    try await responder.compare(request)
  }

  func want(
    _ request: WantRequest,
    of space: SpaceID,
    _ body: ([UInt8]) async throws -> Void
  ) async throws {
    let part = try await responder.part(request, packed: false)
    let records =
      if let change {
        try rewritten(part.records, sequence, by: change)
      } else {
        part.records
      }
    try await body(part.head.encoded + records)
  }

  func arrivals(after hint: SpacePosition, _ body: ([UInt8]) async throws -> Void) async throws
    -> Bool
  { false }

  func give(to space: SpaceID, _ next: () async throws -> [UInt8]?) async throws -> TakenAnswer {
    var intake = try await responder.intake()
    while let part = try await next() { try await intake.add(part) }
    return try await intake.finish()
  }
}
