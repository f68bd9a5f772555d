import Testing
import VarveCore
import VarveSync
import VarveTestSupport

@Suite("A session, event by event")
struct SessionTests {
  private let clock = TestClock()

  /// A session that has greeted another without commits, and what it sent.
  private func greeted(_ limits: SyncLimits = SyncLimits()) -> SyncSession {
    var session = SyncSession(tag: 1, limits: limits)
    _ = session.start(replica: ReplicaID(high: 1, low: 1), summits: [], frontier: .empty)
    _ = session.receive(frame(0, .hello(Hello(replica: ReplicaID(high: 2, low: 2), headCount: 0))))
    _ = session.handle(.lookedUp([], .heads))
    _ = session.receive(frame(1, .have([])))
    _ = session.handle(.causalClosure(.empty))
    return session
  }

  private func frame(_ number: UInt64, _ message: Message, session: UInt64 = 2) -> [UInt8] {
    Frame(session: session, number: number, kind: message.kind, body: message.body).encoded
  }

  private func failure(_ actions: [SyncAction]) -> VarveError? {
    actions.lazy.compactMap { if case .fail(let error) = $0 { error } else { nil } }.first
  }

  private func appended(_ actions: [SyncAction]) -> [CommitID] {
    actions.flatMap { action -> [CommitID] in
      guard case .append(let commits) = action else { return [] }
      return commits.map(\.id)
    }
  }

  private func stream(_ commits: [Commit]) -> [UInt8] {
    var writer = CommitStreamWriter()
    for commit in commits { writer.add(commit) }
    return writer.take()
  }

  @Test func `repeated frames, and those of a former session, are ignored`() {
    var session = greeted()
    #expect(session.receive(frame(1, .have([]))).isEmpty)
    #expect(session.receive(frame(7, .goodbye, session: 99)).isEmpty)
    #expect(!session.isOver)
  }

  @Test func `a missing frame ends the session, and correct commits are kept`() {
    var session = greeted()
    #expect(failure(session.receive(frame(3, .goodbye)))?.code == .damaged)
    #expect(session.isOver)
  }

  @Test(arguments: [0, 5, 9, 17, 18])
  func `a changed bit in a frame is noticed`(place: Int) {
    var session = greeted()
    var bytes = frame(2, .plan(commitCount: 3))
    bytes[place] ^= 1
    #expect(failure(session.receive(bytes))?.code == .damaged)
  }

  @Test func `unknown messages are ignored where allowed, and end the session elsewhere`() {
    var session = greeted()
    var later = Frame(session: 2, number: 2, kind: .goodbye, body: [1, 2, 3])
    later.kind = 200
    #expect(session.receive(later.encoded).isEmpty)
    (later.kind, later.number) = (201, 3)
    #expect(failure(session.receive(later.encoded))?.code == .newerFormat)
  }

  @Test func `versions that do not meet are refused by name, in both directions`() {
    for versions: ClosedRange<UInt8> in [2...3, 0...0] {
      var session = SyncSession(tag: 1)
      _ = session.start(replica: ReplicaID(high: 1, low: 1), summits: [], frontier: .empty)
      var hello = Hello(replica: ReplicaID(high: 2, low: 2), headCount: 0)
      hello.versions = versions
      #expect(failure(session.receive(frame(0, .hello(hello))))?.code == .newerFormat)
    }
    var session = SyncSession(tag: 1)
    _ = session.start(replica: ReplicaID(high: 1, low: 1), summits: [], frontier: .empty)
    var newer = Hello(replica: ReplicaID(high: 2, low: 2), headCount: 0)
    newer.versions = 1...9
    newer.extensions = [.init(number: 4, bytes: [1])]
    #expect(failure(session.receive(frame(0, .hello(newer)))) == nil)
  }

  @Test func `more than the window holds is refused, so memory is bounded (pitfall 8)`() {
    var limits = SyncLimits()
    limits.window = 100
    var session = greeted(limits)
    let bytes = [UInt8](repeating: 1, count: 101)
    #expect(failure(session.receive(frame(2, .data(bytes))))?.code == .damaged)
  }

  @Test func `a commit of a later version is parked by name, and stops only its successors`() throws
  {
    var session = greeted()
    var (newer, other) = (ScriptedReplica(5), ScriptedReplica(6))
    let thing: EntityID = "thing"
    let commit = newer.commit(at: 1, [thing.isCreated()])
    var header = commit.header
    header.extensions = [.init(number: 3, bytes: [])]
    let odd = Commit(header: header, blocks: commit.blocks)
    let plain = other.commit(at: 2, [thing.isCreated()])
    _ = session.receive(frame(2, .data(stream([odd, plain]))))
    let actions = session.receive(frame(3, .end(commitCount: 2, heldBackCount: 0)))
    #expect(appended(actions) == [plain.id])
    #expect(session.report.parked.map(\.commit) == [odd.id])
    #expect(session.report.parked.first?.error.code == .newerFormat)
  }

  @Test func `only commits on the disk are acknowledged (pitfall 7)`() throws {
    var session = greeted()
    var replica = ScriptedReplica(5)
    let thing: EntityID = "thing"
    let commit = replica.commit(at: 1, [thing.isCreated()])
    let before = session.receive(frame(2, .data(stream([commit]))))
    let end = session.receive(frame(3, .end(commitCount: 1, heldBackCount: 0)))
    #expect(try acknowledgements(before + end).isEmpty)
    var outcome = AppendOutcome()
    outcome.kept = [.init(commit)]
    #expect(try acknowledgements(session.handle(.appended(outcome))) == [commit.id])
  }

  private func acknowledgements(_ actions: [SyncAction]) throws -> [CommitID] {
    try actions.flatMap { action -> [CommitID] in
      guard case .send(let bytes) = action,
        case .ack(_, _, let heads)? = try Message(Frame(encoded: bytes))
      else { return [] }
      return heads
    }
  }

  @Test func `a transaction arrives completely, or not at all (pitfall 5)`() throws {
    var session = greeted()
    var replica = ScriptedReplica(5)
    let thing: EntityID = "thing"
    let commit = replica.commit(at: 1, [thing.isCreated()])
    let half = try Commit(headerBytes: commit.headerBytes, blocks: [])
    _ = session.receive(frame(2, .data(stream([half]))))
    let actions = session.receive(frame(3, .end(commitCount: 1, heldBackCount: 0)))
    #expect(appended(actions).isEmpty)
    #expect(session.report.parked.map(\.commit) == [commit.id])
  }

  @Test
  func `commits that arrive before their dependencies wait, within limits, and are reported`() {
    var (one, two) = (ScriptedReplica(1), ScriptedReplica(2))
    let thing: EntityID = "thing"
    let first = one.commit(at: 1, [thing.isCreated()])
    let second = two.commit(at: 2, seen: [first.id], [thing.has("x", 1)])
    let third = two.commit(at: 3, seen: [first.id], [thing.has("x", 2)])
    var buffer = CausalBuffer(limit: second.byteCount + 10)
    buffer.add(second, needing: first.id)
    buffer.add(third, needing: first.id)
    #expect(buffer.waiting.map(\.commitCount) == [2])
    #expect(
      buffer.waiting.first?.description
        == "2 commits wait for commit 1 of replica \(first.id.replica)"
    )
    #expect(buffer.release([first.id]).map(\.id) == [second.id])
    #expect(buffer.byteCount == 0)
    #expect(buffer.waiting.map(\.commitCount) == [1])
    buffer.checkInvariants()
  }

  @Test func `commits sent in a wrong order are still added (R13)`() async throws {
    let (left, right) = (
      ReferenceBackend(wallMilliseconds: clock.reading()),
      ReferenceBackend(wallMilliseconds: clock.reading())
    )
    for n in 0..<6 { try await left.create(EntityID("\(n)")) }
    let commits = try await left.commits(beyond: .empty, atMost: .max)
    var performer = SyncPerformer(right)
    var session = greeted()
    var actions = session.receive(frame(2, .data(stream(commits.reversed()))))
    actions += session.receive(frame(3, .end(commitCount: 6, heldBackCount: 0)))
    while !actions.isEmpty {
      let action = actions.removeFirst()
      guard let event = try await performer.perform(action) else { continue }
      actions += session.handle(event)
    }
    try await expectEqual(left, right)
    #expect(session.report.waiting.isEmpty)
  }
}
