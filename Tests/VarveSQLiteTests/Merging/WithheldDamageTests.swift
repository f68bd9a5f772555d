import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A commit that is hashed well and cannot be read")
struct WithheldDamageTests {
  private let clock = TestClock()
  private let hour: Int64 = 3_600_000

  /// Payloads no reader takes: no tag, no section, half a redaction, cells that end early.
  private static let payloads: [[UInt8]] = [[9], [1, 77], [1, 3, 200], [1, 2, 5, 0], [2, 1, 2]]

  @Test(
    arguments: payloads
  )
  func `is refused even if it would be withheld, and no write fails because of it`(payload: [UInt8])
    async throws
  {
    var author = ScriptedReplica(1)
    let commit = author.commit(
      at: clock.now + hour,
      sealing: [payload],
      kind: payload[0] == 1 && payload[1] == 3 ? .redactions : .ordinary
    )
    let store = try await openBackend(clock: clock)
    await expectRefusal(.damaged, place: false) { _ = try await store.append([commit]) }
    #expect(try await store.commits(beyond: .empty, atMost: .max).isEmpty)
    clock.advance(by: hour)
    try await store.create("a", "Thing")
    #expect(try await store.findings() == [])
    try await store.close()
  }

  @Test(arguments: payloads)
  func `is refused if it arrives block by block, at any block`(payload: [UInt8]) async throws {
    var author = ScriptedReplica(1)
    let incompressible = Data(
      (0..<900_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 9) }
    )
    var builder = BlockBuilder()
    _ = builder.add(.value("k", .data(incompressible), semanticType: ""), entity: "a", time: nil)
    let good = builder.take().payloads()[0]
    let filler = [[UInt8]](repeating: good, count: 10)
    let commit = author.commit(at: clock.now + hour, sealing: filler + [payload] + filler)
    let store = try await openBackend(clock: clock)
    var parts = [CommitPart.header(commit.header)] + commit.blocks.map(CommitPart.block)
    await expectRefusal(.damaged, place: false) {
      _ = try await store.append(parts: { parts.isEmpty ? nil : parts.removeFirst() })
    }
    #expect(try await store.commits(beyond: .empty, atMost: .max).isEmpty)
    try await store.close()
  }

  @Test(
    .enabled(if: PlainFiles.areUsed)
  )
  func `that an older store contains stays withheld with its successors, and is reported`()
    async throws
  {
    let scratch = try Scratch()
    let path = scratch.path("store")
    var (author, other) = (ScriptedReplica(1), ScriptedReplica(2))
    let (a, b): (EntityID, EntityID) = ("a", "b")
    let bad = author.commit(at: clock.now + hour, [a.has("k", .string("unreadable later"))])
    let next = author.commit(at: clock.now + hour + 1, [a.isCreated()])
    let good = other.commit(at: clock.now + hour + 2, [b.isCreated()])
    let store = try await openBackend(path, clock: clock)
    #expect(try await store.append([bad, next, good]).withheldCount == 3)
    try await store.close()
    try breakPayload(of: bad, in: path)
    clock.advance(by: hour)
    let again = try await openBackend(path, clock: clock)
    try await again.create("c", "Thing")
    let live = try await again.read(at: .now) { try await $0.idsInCreationOrder() }
    #expect(Set(live) == ["b", "c"])
    #expect(try await again.findings() != [])
    try await again.close()
  }

  /// Makes the payload of a commit's only block begin with an unknown tag.
  private func breakPayload(of commit: Commit, in path: String) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.range(of: Data(commit.blocks[0].stored)))
    bytes[place.lowerBound + 1] = 9
    try replaceStore(path, with: bytes)
  }
}
