import Foundation
import Testing
import VarveCore
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Stores that exchange commits through a folder")
struct FolderTests {
  private let scratch: Scratch
  private let clock = TestClock()

  init() throws { scratch = try Scratch() }

  private func backend() -> ReferenceBackend {
    ReferenceBackend(wallMilliseconds: clock.reading())
  }

  @discardableResult
  private func sync(_ backend: any Backend, _ folder: String = "f") async throws -> SyncReport {
    try await SyncFolder(scratch.path(folder)).synchronize(backend)
  }

  private func segments() throws -> [String] { try scratch.names(in: "f") }

  @Test func `are equal without ever meeting, and nothing is written twice`() async throws {
    let stores = [backend(), backend(), backend()]
    for round in 0..<3 {
      for (n, store) in stores.enumerated() {
        clock.advance(by: 1)
        try await store.create(EntityID("\(n) in \(round)"))
        try await sync(store)
      }
    }
    for store in stores { try await sync(store) }
    for store in stores.dropFirst() { try await expectEqual(stores[0], store) }
    let before = try segments()
    for store in stores {
      let report = try await sync(store)
      #expect(report.receivedCount == 0 && report.sentCount == 0)
    }
    #expect(try segments() == before)
    #expect(before.allSatisfy { $0.hasSuffix(".varve-segment") })
  }

  @Test func `are not looked for under an empty path, or where there is nothing`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.create("Hat")
    await #expect {
      try await store.sync(folder: "")
    } throws: {
      ($0 as? VarveError)?.code == .invalidArgument
    }
    await #expect {
      try await store.sync(folder: scratch.path("stick/shared"))
    } throws: {
      ($0 as? VarveError)?.code == .notFound
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("stick")))
    let made = try await store.sync(folder: scratch.path("made") + "/")
    #expect(made.sentCount == 1)
  }

  @Test(arguments: [0, 1, 40, 99]
  )
  func `skip an incomplete file, whatever its length, until it is complete`(percent: Int)
    async throws
  {
    let (left, right) = (backend(), backend())
    try await left.create("a")
    try await sync(left)
    let file = URL(fileURLWithPath: scratch.path("f/\(try segments()[0])"))
    let whole = try Data(contentsOf: file)
    try whole.prefix(whole.count * percent / 100).write(to: file)
    let report = try await sync(right)
    #expect(report.receivedCount == 0 && report.incompleteFiles.count == 1)
    // A store that has the commits writes them again, under the same name.
    try await sync(left)
    #expect(try Data(contentsOf: file) == whole)
    #expect(try await sync(right).receivedCount == 1)
  }

  @Test func `have a damaged file rewritten by a store that has its commits`() async throws {
    let (left, right) = (backend(), backend())
    try await left.create("a", ["x": "text"])
    try await sync(left)
    let file = URL(fileURLWithPath: scratch.path("f/\(try segments()[0])"))
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let report = try await sync(right)
    #expect(report.receivedCount == 0 && report.incompleteFiles.isEmpty && !report.isComplete)
    #expect(report.parked.map(\.error.code) == [.damaged])
    #expect(try await sync(left).sentCount == 1)
    #expect(try await sync(right).isComplete)
    try await expectEqual(left, right)
    #expect(try segments().count == 1)
  }

  @Test func `replace files with purged cells once they know of the purge`() async throws {
    let (left, right) = (backend(), backend())
    let secret = "a secret of somebody"
    try await left.create("a", ["x": .string(secret)])
    try await left.create("b", ["x": "kept"])
    try await sync(left)
    try await sync(right)
    func holders() throws -> Int {
      try segments().filter { name in
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("f/\(name)")))
        return bytes.range(of: Data(secret.utf8)) != nil
      }.count
    }
    #expect(try holders() == 1)
    clock.advance(by: 1)
    try await left.write([.purge("a")])
    _ = try await synchronize(left, right)
    try await sync(right)
    #expect(try holders() == 0)
    let before = try segments()
    try await sync(left)
    #expect(try segments() == before, "once is enough")
    let late = backend()
    try await sync(late)
    try await expectEqual(left, late)
  }

  @Test func `wait for missing commits, name them, and continue with the rest`() async throws {
    let (left, middle, right) = (backend(), backend(), backend())
    try await left.create("a")
    try await sync(left)
    try await middle.catchUp(with: left)
    clock.advance(by: 1)
    let free = backend()
    try await free.create("free")
    try await middle.create("b")
    try await sync(free)
    try await sync(middle)
    let first = try segments().first {
      $0.hasPrefix(try left.arrivals()[0].id.replica.text)
    }
    let path = scratch.path("f/\(try #require(first))")
    try FileManager.default.moveItem(atPath: path, toPath: scratch.path("away"))
    let report = try await sync(right)
    #expect(report.receivedCount == 1)
    #expect(report.waiting.map(\.needed) == [try left.arrivals()[0].id])
    #expect(report.waiting.map(\.commitCount) == [1])
    try FileManager.default.moveItem(atPath: scratch.path("away"), toPath: path)
    #expect(try await sync(right).isComplete)
    try await expectEqual(right, middle)
  }

  /// Limits with which few segments are joined, and joined segments are removed at once.
  private var joining: SyncLimits {
    var limits = SyncLimits()
    (limits.joinCount, limits.joinedAgeMilliseconds) = (4, 0)
    return limits
  }

  private func sync(
    _ backend: any Backend,
    _ limits: SyncLimits,
    at now: Int64 = SystemClock.millisecondsSince1970()
  ) async throws {
    let folder = try SyncFolder(scratch.path("f"))
    _ = try await folder.synchronize(backend, limits: limits, nowMilliseconds: now)
  }

  @Test func `keep few files if they write often, and lose nothing`() async throws {
    let (left, right) = (backend(), backend())
    for round in 0..<60 {
      clock.advance(by: 1)
      try await left.create(EntityID("left \(round)"))
      try await sync(left, joining)
      if round % 7 == 0 {
        try await right.create(EntityID("right \(round)"))
        try await sync(right, joining)
      }
    }
    #expect(try segments().count < 16)
    let newcomer = backend()
    try await sync(newcomer)
    try await sync(right)
    try await sync(left)
    try await sync(newcomer)
    try await expectEqual(newcomer, left)
    try await expectEqual(newcomer, right)
  }

  @Test func `remove small files only once a complete one that contains them is old enough`()
    async throws
  {
    let left = backend()
    var limits = joining
    limits.joinedAgeMilliseconds = 86_400_000
    for round in 0..<4 {
      try await left.create(EntityID("\(round)"))
      try await sync(left, limits)
    }
    #expect(try segments().count == 5)
    let joined = try #require(try segments().first { $0.contains("-1-4-") })
    let later = SystemClock.millisecondsSince1970() + 90_000_000
    let file = URL(fileURLWithPath: scratch.path("f/\(joined)"))
    let whole = try Data(contentsOf: file)
    var bytes = whole
    bytes[bytes.count / 2] ^= 1
    for damaged in [bytes, whole.prefix(whole.count - 1), Data()] {
      try damaged.write(to: file)
      try await sync(backend(), limits, at: later)
      #expect(try segments().filter { !$0.hasSuffix(".damaged") }.count == 5)
    }
    for name in try segments() where name.hasSuffix(".damaged") {
      try FileManager.default.removeItem(atPath: scratch.path("f/\(name)"))
    }
    try whole.write(to: file)
    let reader = backend()
    try await sync(reader, limits)
    #expect(try segments().count == 5)
    try await sync(reader, limits, at: later)
    #expect(try segments() == [joined])
    let newcomer = backend()
    try await sync(newcomer)
    try await expectEqual(newcomer, left)
  }

  @Test func `are equal although files are joined and removed concurrently`() async throws {
    let stores = (0..<4).map { _ in backend() }
    let limits = joining
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (n, store) in stores.enumerated() {
        group.addTask {
          for round in 0..<25 {
            try await store.create(EntityID("\(n) in \(round)"))
            try await self.sync(store, limits)
          }
        }
      }
      try await group.waitForAll()
    }
    let newcomer = backend()
    for _ in 0..<3 { for store in stores + [newcomer] { try await sync(store, limits) } }
    for store in stores { try await expectEqual(newcomer, store) }
    #expect(try segments().filter { !$0.hasSuffix(".damaged") }.count < 40)
  }

  @Test func `stores that exchange commits through a folder may be many at once`() async throws {
    let stores = (0..<6).map { _ in backend() }
    for (n, store) in stores.enumerated() { try await store.create(EntityID("\(n)")) }
    for store in stores.dropFirst() { try await stores[0].catchUp(with: store) }
    for store in stores.dropFirst() { try await store.catchUp(with: stores[0]) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (n, store) in stores.enumerated() {
        group.addTask {
          for round in 0..<5 {
            try await store.create(EntityID("\(n) in \(round)"))
            _ = try await SyncFolder(self.scratch.path("f")).synchronize(store)
          }
        }
      }
      try await group.waitForAll()
    }
    for store in stores { try await sync(store) }
    for store in stores.dropFirst() { try await expectEqual(stores[0], store) }
  }

  @Test func `carry a commit larger than the memory limit, and copied files that diverged (R12)`()
    async throws
  {
    let left = try await Store.open(scratch.path("left"))
    try await left.create("Hat", id: "before")
    try await left.write { tx in
      for n in 0..<10 {
        try await tx.create("Film", id: EntityID("\(n)"), ["x": .data(noise(1_000_000))])
      }
    }
    try await left.close()
    try FileManager.default.copyItem(atPath: scratch.path("left"), toPath: scratch.path("right"))
    let (here, there) = (
      try await Store.open(scratch.path("left")), try await Store.open(scratch.path("right"))
    )
    let third = try await Store.open(.inMemory)
    try await here.create("Hat", id: "here")
    try await there.create("Hat", id: "there")
    for store in [here, there, third, here, there] {
      _ = try await store.sync(folder: scratch.path("f"))
    }
    for store in [here, there] { #expect(try await store.frontier() == third.frontier()) }
    #expect(try await third.check().findings == [])
    for store in [here, there, third] { try await store.close() }
  }
}
