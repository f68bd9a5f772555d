import Foundation
import Testing
import VarveCore
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Two sides that synchronise")
struct PeerTests {
  private let clock = TestClock()

  private func backend() -> ReferenceBackend {
    ReferenceBackend(wallMilliseconds: clock.reading())
  }

  @Test func `are equal afterwards, in both directions at once, and send nothing again`()
    async throws
  {
    let (left, right) = (backend(), backend())
    for n in 0..<20 {
      clock.advance(by: 1)
      try await left.create(EntityID("left \(n)"))
      try await right.create(EntityID("right \(n)"))
    }
    let (one, two) = try await synchronize(left, right)
    #expect(one.receivedCount == 20 && one.sentCount == 20)
    #expect(two.receivedCount == 20 && two.sentCount == 20)
    try await expectEqual(left, right)
    let again = try await synchronize(left, right)
    #expect(again.left == SyncReport() && again.right == SyncReport())
  }

  @Test func `send only the commits beyond a chain of which the other has less`() async throws {
    let (left, right) = (backend(), backend())
    for n in 0..<10 { try await left.create(EntityID("\(n)")) }
    try await right.catchUp(with: left)
    try await left.create("new left")
    try await right.create("new right")
    let (one, two) = try await synchronize(left, right)
    #expect(one.sentCount == 1 && two.sentCount == 1)
    try await expectEqual(left, right)
  }

  @Test(arguments: [1, 200]
  )
  func `find where the branches of a copied file diverge, and send no more (R12)`(count: Int)
    async throws
  {
    let left = backend()
    for n in 0..<count { try await left.create(EntityID("\(n)")) }
    let right = try left.copy()
    for n in 0..<3 {
      clock.advance(by: 1)
      try await left.create(EntityID("left \(n)"))
      try await right.create(EntityID("right \(n)"))
    }
    let (one, two) = try await synchronize(left, right)
    #expect(one.sentCount == 3 && two.sentCount == 3)
    #expect(one.replacedReplica != nil && two.replacedReplica != nil)
    try await expectEqual(left, right)
  }

  @Test func `two sides that synchronise move a window's worth and more in small frames`()
    async throws
  {
    let (left, right) = (backend(), backend())
    for n in 0..<30 { try await left.create(EntityID("\(n)"), ["x": .data(noise(3_000))]) }
    for n in 0..<30 { try await right.create(EntityID("r\(n)"), ["x": .data(noise(3_000))]) }
    var limits = SyncLimits()
    (limits.window, limits.frame, limits.part, limits.append) = (4_096, 512, 8_192, 2_000)
    _ = try await synchronize(left, right, limits: limits)
    try await expectEqual(left, right)
  }

  @Test func `keep a large commit aside, block by block, until all of it is there`() async throws {
    let left = try await Store.open(.inMemory)
    let right = try await Store.open(.inMemory)
    try await left.create("Hat", id: "before")
    try await left.write { tx in
      for n in 0..<12 {
        try await tx.create(
          "Film",
          id: EntityID("\(n)"),
          ["x": .data(noise(900_000, seed: UInt64(n)))]
        )
      }
    }
    try await left.create("Hat", id: "after")
    let report = try await right.sync(with: left)
    #expect(report.receivedCount == 3)
    #expect(try await right.frontier() == left.frontier())
    #expect(try await right.check().findings == [])
    #expect(try await right.sync(with: left) == SyncReport())
  }

  @Test func `two sides that synchronise speak over a pair of pipes`() async throws {
    let left = try await Store.open(.inMemory)
    let right = try await Store.open(.inMemory)
    for n in 0..<50 {
      try await left.create("Hat", id: EntityID("left \(n)"), ["x": .data(noise(20_000))])
      try await right.create("Hat", id: EntityID("right \(n)"), ["x": .data(noise(20_000))])
    }
    let (there, back) = (Pipe(), Pipe())
    let one = DescriptorConnection(
      reading: back.fileHandleForReading,
      writing: there.fileHandleForWriting
    )
    let two = DescriptorConnection(
      reading: there.fileHandleForReading,
      writing: back.fileHandleForWriting
    )
    async let theirs = right.sync(over: two)
    let ours = try await left.sync(over: one)
    #expect(ours.receivedCount == 50)
    #expect(try await theirs.receivedCount == 50)
    #expect(try await right.frontier() == left.frontier())
  }

  @Test func `report an early end of the connection, and keep received commits`() async throws {
    let left = try await Store.open(.inMemory)
    let (there, back) = (Pipe(), Pipe())
    try there.fileHandleForReading.close()
    try back.fileHandleForWriting.close()
    let broken = DescriptorConnection(
      reading: back.fileHandleForReading,
      writing: there.fileHandleForWriting
    )
    let error = await #expect(throws: VarveError.self) { try await left.sync(over: broken) }
    #expect(error?.code == .inputOutput)
    #expect(error?.remedy != nil)
  }
}
