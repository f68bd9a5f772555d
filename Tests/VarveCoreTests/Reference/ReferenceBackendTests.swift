import Testing
import VarveCore
import VarveTestSupport

@Suite("The reference backend keeps the contract of the port")
struct ReferenceBackendTests {
  private let clock = TestClock()
  private let x: EntityID = "x"

  @Test func `the reference backend keeps the contract of the port makes no commit of no cells`()
    async throws
  {
    let backend = backend()
    let (answer, receipt) = try await backend.write(WriteRequest()) { _ in 42 }
    #expect(answer == 42)
    #expect(receipt == nil)
    #expect(try await backend.frontier() == .empty)
  }

  @Test func `leaves no trace of a body that throws (R23)`() async throws {
    struct Stop: Error {}
    let backend = backend()
    try await create(backend)
    let before = try await backend.frontier()
    await #expect(throws: Stop.self) {
      _ = try await backend.write(WriteRequest()) { writer in
        _ = try await writer.apply(.life(.erased), to: x, time: nil)
        throw Stop()
      }
    }
    #expect(try await backend.frontier() == before)
    #expect(try await status(backend) == .live("Thing"))
    let receipt = try await set(backend, 1)
    #expect(receipt?.commit.id.sequence == 2)
  }

  @Test func `lets a writer read its writes, and no other reader before the commit (R21, R22)`()
    async throws
  {
    let backend = backend()
    _ = try await backend.write(WriteRequest()) { writer in
      try await Operation.create(Creation(x, "Thing", [Assignment("k", 1)])).apply(to: writer)
      #expect(try await writer.entity(x)?["k"] == 1)
      #expect(try await writer.fetch(Query("Thing")).count == 1)
      #expect(try await status(backend) == .unknown)
    }
    #expect(try await status(backend) == .live("Thing"))
  }

  @Test func `stamps above all applied commits, and names the seen ones once (R13)`() async throws {
    let (one, two) = (backend(), backend())
    for value in 0..<3 { try await create(one, EntityID("\(value)")) }
    try await two.catchUp(with: one)
    try await create(two)
    let first = try #require(try two.arrivals().last)
    #expect(first.header.dependencies == (try await one.frontier().heads))
    #expect(first.header.time > (try one.arrivals()[2].header.time))
    try await set(two, 1)
    let second = try #require(try two.arrivals().last)
    #expect(second.header.dependencies.isEmpty)
    #expect(second.header.previous == first.id.hash)
    #expect(second.header.time > first.header.time)
  }

  @Test func `appends no commit twice, and none without its dependencies`() async throws {
    let (one, two) = (backend(), backend())
    try await create(one)
    try await set(one, 1)
    let commits = try one.arrivals()
    await #expect(throws: VarveError.self) { try await two.append([commits[1]]) }
    #expect(try await two.frontier() == .empty)
    #expect(try await two.append(commits + commits).addedCount == 2)
    #expect(try await two.append(commits).addedCount == 0)
  }

  @Test func `reports the deaths by received commits (R16)`() async throws {
    let (one, two) = (backend(), backend())
    try await create(one)
    _ = try await one.write(WriteRequest()) { writer in
      try await Operation.create(Creation("child", "Thing")).apply(to: writer)
      try await Operation.relate(x, Relation(.owns), "child", nil).apply(to: writer)
    }
    try await two.catchUp(with: one)
    _ = try await one.write(WriteRequest()) { writer in
      let changes = try await writer.apply(.life(.erased), to: x, time: nil)
      #expect(changes.died == ["child", x])
    }
    #expect(try await two.catchUp(with: one).died == ["child", x])
    _ = try await one.write(WriteRequest()) { writer in
      let changes = try await writer.apply(.life(.restored), to: x, time: nil)
      #expect(changes.revived == ["child", x])
    }
  }

  @Test func `keeps both branches of a fork and continues under another replica (R12)`()
    async throws
  {
    let one = backend()
    try await create(one)
    let two = try one.copy()
    try await set(one, 1)
    try await set(two, 2)
    let report = try await one.catchUp(with: two)
    let fresh = try #require(report.replacedReplica)
    #expect(try await one.replica() == fresh)
    #expect(try await one.frontier().heads.count == 2)
    try await two.catchUp(with: one)
    let ids = [x]
    let (first, second) = (
      try await CanonicalExport(of: one, ids: ids), try await CanonicalExport(of: two, ids: ids)
    )
    #expect(first.firstDifference(from: second) == nil)
    let receipt = try await set(one, 3)
    #expect(receipt?.commit.id.replica == fresh)
    #expect(receipt?.commit.id.sequence == 1)
    let last = try #require(try one.arrivals().last)
    #expect(last.header.dependencies.count == 2)
    try await two.catchUp(with: one)
    #expect(try await two.read(at: .now) { try await $0.entity(x)?["k"] } == 3)
  }

  @Test
  func `withholds the future, relays it, depends on none of it, and shows it when due (R11)`()
    async throws
  {
    let fast = ReferenceBackend(wallMilliseconds: clock.reading(skew: 600_000))
    let slow = backend()
    try await create(fast)
    let report = try await slow.catchUp(with: fast)
    #expect(report.addedCount == 1)
    #expect(report.withheldCount == 1)
    #expect(try await status(slow) == .unknown)
    try await create(slow, "y")
    let own = try #require(try slow.arrivals().last)
    #expect(own.header.dependencies.isEmpty)
    #expect(own.header.time.millisecondsSince1970 == clock.now)
    #expect(try await slow.commits(beyond: .empty, atMost: .max).count == 2)
    clock.advance(by: 600_000)
    #expect(try await status(slow) == .live("Thing"))
  }

  @Test func `continues under another replica if the clock was set back by far (R11)`() async throws
  {
    let backend = backend()
    try await create(backend, "y")
    clock.advance(by: -86_400_000)
    let before = try await backend.replica()
    try await create(backend)
    #expect(try await backend.replica() != before)
    let own = try #require(try backend.arrivals().last)
    #expect(own.header.time.millisecondsSince1970 == clock.now)
  }

  @Test func `hands out commits in order of stamp, in parts of bounded size`() async throws {
    let (one, two) = (backend(), backend())
    for value in 0..<6 {
      try await create(value % 2 == 0 ? one : two, EntityID("\(value)"))
      clock.advance(by: 1)
    }
    try await one.catchUp(with: two)
    let copy = backend()
    var partCount = 0
    while true {
      let part = try await one.commits(beyond: copy.frontier(), atMost: 500)
      guard !part.isEmpty else { break }
      #expect(part.map(\.header.stamp) == part.map(\.header.stamp).sorted())
      _ = try await copy.append(part)
      partCount += 1
    }
    #expect(partCount > 1)
    #expect(try await copy.frontier() == one.frontier())
  }

  @Test func `admits writers first come, first served, and not past their patience`() async throws {
    let backend = backend()
    try await create(backend)
    var impatient = WriteRequest()
    impatient.patienceMilliseconds = 10
    _ = try await backend.write(WriteRequest()) { writer in
      _ = try await writer.apply(.collection("held"), to: x, time: nil)
      await #expect(throws: VarveError.self) { _ = try await backend.write(impatient) { _ in } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in 0..<20 as Range<Int64> {
        group.addTask { _ = try await set(backend, .int(value)) }
      }
      try await group.waitForAll()
    }
    #expect(try backend.arrivals().count == 22)
    #expect(try await backend.check { _ in }.isClean)
  }

  @Test func `checks its log, pages its results, and ends with close`() async throws {
    let backend = backend()
    for value in 0..<5 { try await create(backend, EntityID("\(value)")) }
    let report = try await backend.check { _ in }
    #expect(report.isClean)
    #expect((report.commitCount, report.blockCount, report.entityCount) == (5, 5, 5))
    try await backend.read(at: .now) { reader in
      var pages: [Int] = []
      try await reader.fetch(Query("Thing"), pageSize: 2) { page in
        pages.append(page.count)
        return true
      }
      #expect(pages == [2, 2, 1])
      #expect(try await reader.log(limit: 2, offset: 1).map(\.id.sequence) == [4, 3])
    }
    try await backend.rebuild()
    try await backend.close()
    await #expect(throws: VarveError.self) { try await backend.frontier() }
  }

  private func backend() -> ReferenceBackend { ReferenceBackend(wallMilliseconds: clock.reading()) }

  private func create(_ backend: ReferenceBackend, _ id: EntityID = "x") async throws {
    _ = try await backend.write(WriteRequest()) { writer in
      try await Operation.create(Creation(id, "Thing")).apply(to: writer)
    }
  }

  @discardableResult
  private func set(_ backend: ReferenceBackend, _ value: Value) async throws -> WriteReceipt? {
    try await backend.write(WriteRequest()) { writer in
      try await Operation.set(x, Assignment("k", value), time: nil).apply(to: writer)
    }.receipt
  }

  private func status(_ backend: ReferenceBackend) async throws -> EntityStatus {
    try await backend.read(at: .now) { try await $0.status(of: x) }
  }
}
