import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

/// A peer may send any header with the blocks it names: the hash names that commit, not the one
/// whose header was changed.
@Suite("A commit whose header changed on the way")
struct ChangedHeaderTests {
  /// A change after which the header still fits its blocks and its place in the log. Its length
  /// stays, because the sides count the bytes of their streams.
  enum Change: CaseIterable {
    case replica, time, author, message

    func apply(to header: inout CommitHeader) {
      switch self {
      case .replica: header.replica = ReplicaID(high: 7, low: 7)
      case .time: header.time = HybridTime(rawValue: header.time.rawValue + 1)
      case .author: header.author = "Tom"
      case .message: header.message = "two"
      }
    }
  }

  private let clock = TestClock()

  /// An author of some commits, each with a creation, and a store without commits.
  private func stores(count: Int) async throws -> (author: ReferenceBackend, taker: SQLiteBackend) {
    let author = ReferenceBackend(wallMilliseconds: clock.reading())
    for n in 0..<count {
      _ = try await author.write(WriteRequest(author: "Sam", message: "one")) { writer in
        try await Operation.create(Creation(EntityID("\(n)"), "Hat", [])).apply(to: writer)
      }
    }
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = clock.reading()
    return (author, try await SQLiteBackend.open(.inMemory, configuration: configuration))
  }

  /// Synchronises while the author's header of one number changes on the way; the taker's outcome.
  private func synchronize(
    _ author: any CommitLog,
    _ taker: any CommitLog,
    changing sequence: Int64,
    by change: Change,
    limits: SyncLimits = SyncLimits()
  ) async throws -> Result<SyncReport, any Error> {
    let (here, there) = InProcessChannel.pair()
    let changing = ChangingChannel(there) { bytes, _ in
      var frame = try Frame(encoded: bytes)
      guard case .data(let stream)? = try Message(frame) else { return bytes }
      frame.body = try rewritten(stream, sequence, by: change)
      return frame.encoded
    }
    async let theirs = outcome(of: author, changing, limits: limits, packs: false)
    let ours = await outcome(of: taker, here, limits: limits)
    _ = await theirs
    return ours
  }

  @Test(
    arguments: Change.allCases
  )
  func `is another commit, beside the genuine one, which is awaited (R12)`(change: Change)
    async throws
  {
    let (author, taker) = try await stores(count: 2)
    let genuine = try await author.commits(beyond: .empty, atMost: .max)
    let report = try await synchronize(author, taker, changing: 1, by: change).get()
    #expect(report.waiting == [Waiting(needed: genuine[0].id, commitCount: 1)])
    #expect(!report.isComplete)

    let others = try await taker.commits(beyond: .empty, atMost: .max)
    #expect(others.map(\.blocks) == [genuine[0].blocks])
    #expect(others.map(\.id) != [genuine[0].id])

    _ = try await VarveSyncTests.synchronize(author, taker)
    let all = try await taker.commits(beyond: .empty, atMost: .max)
    #expect(Set(all.map(\.id)) == Set(genuine.map(\.id) + others.map(\.id)))
    try await expectEqual(author, taker)
    #expect(try await taker.check { _ in }.findings == [])
    try await taker.close()
  }

  @Test(
    arguments: Change.allCases
  )
  func `is not the summit that the other side named: the session reports damage`(change: Change)
    async throws
  {
    let (author, taker) = try await stores(count: 1)
    let genuine = try await author.commits(beyond: .empty, atMost: .max)
    let outcome = try await synchronize(author, taker, changing: 1, by: change)
    let error = #expect(throws: VarveError.self) { try outcome.get() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("commit 1 of replica \(genuine[0].id.replica)") == true)

    _ = try await VarveSyncTests.synchronize(author, taker)
    #expect(try await taker.held(among: genuine.map(\.id)).count == 1)
    try await expectEqual(author, taker)
    #expect(try await taker.check { _ in }.findings == [])
    try await taker.close()
  }

  @Test func `a commit whose header changed on the way stops nothing that goes the other way`()
    async throws
  {
    let (author, taker) = try await stores(count: 1)
    for n in 0..<30 { try await taker.create(EntityID("t\(n)"), ["x": .data(noise(3_000))]) }
    let written = try await taker.commits(beyond: .empty, atMost: .max).map(\.id)
    var limits = SyncLimits()
    (limits.window, limits.frame, limits.part, limits.append) = (4_096, 512, 8_192, 2_000)
    let outcome = try await synchronize(
      author,
      taker,
      changing: 1,
      by: .message,
      limits: limits
    )
    #expect(throws: VarveError.self) { try outcome.get() }
    #expect(try await author.held(among: written) == Set(written))
    try await taker.close()
  }
}

/// Returns a stream of commits in which the header of one number is changed.
func rewritten(
  _ stream: [UInt8],
  _ sequence: Int64,
  by change: ChangedHeaderTests.Change
) throws -> [UInt8] {
  var (reader, writer) = (CommitStreamReader(), CommitStreamWriter())
  reader.add(stream)
  while let record = try reader.next() {
    switch record {
    case .header(let commit):
      var header = commit.header
      if header.sequence == sequence { change.apply(to: &header) }
      writer.add(Commit(header: header, blocks: []))
    case .block(let block): writer.add(block)
    case .commit: throw VarveError(.invalidArgument, "a commit is packed")
    case .unreadable(_, let error): throw error
    }
  }
  return writer.take()
}
