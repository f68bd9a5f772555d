import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Commits whose cells are to be forgotten already")
struct RedactionIntakeTests {
  private let secret = "s3cr3t-value"

  /// A redaction may come first only where a file was copied: nothing else lacks what it depends
  /// on.
  private func forgetting(_ commit: Commit, _ ordinals: Int...) -> Commit {
    var other = ScriptedReplica(7)
    return other.redaction(
      at: 5,
      [Redaction(commit.id, [.init(key: nil, ordinals: OrdinalSet(ordinals))])]
    )
  }

  private func isForgotten(_ backend: any Backend, _ commit: Commit) async throws -> Bool {
    let stored = try await backend.commits(beyond: .empty, atMost: .max)
      .first { $0.id == commit.id }
    return try stored?.cells().allSatisfy { $0.content.value == nil } ?? false
  }

  @Test(arguments: [false, true])
  func `are appended without them, whichever arrives first`(isRedactionFirst: Bool) async throws {
    var replica = ScriptedReplica(1)
    let commit = replica.commit(
      at: 1,
      [
        EntityID("a").isCreated(), EntityID("a").has("name", .string(secret)),
      ]
    )
    let redaction = forgetting(commit, 1)
    let backend = try await openBackend()
    for next in isRedactionFirst ? [redaction, commit] : [commit, redaction, commit] {
      _ = try await backend.append([next])
    }
    #expect(try await isForgotten(backend, commit))
    let entity = try await backend.read(at: .now) { try await $0.entity("a") }
    #expect(entity?.keys.isEmpty == true)
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.rebuild()
    #expect(try await isForgotten(backend, commit))
    #expect(try await backend.check { _ in }.findings == [])
  }

  @Test func `piece by piece, when they are too large to be kept together`() async throws {
    var replica = ScriptedReplica(1)
    let large = Value.data(
      Data((0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 9) })
    )
    let commit = replica.commit(
      at: 1,
      [
        EntityID("a").isCreated(), EntityID("a").has("name", .string(secret)),
        EntityID("a").has("picture", large),
      ]
    )
    let backend = try await openBackend()
    _ = try await backend.append([forgetting(commit, 1, 2)])
    var parts = [CommitPart.header(commit.header)] + commit.blocks.map(CommitPart.block)
    _ = try await backend.append(parts: { parts.isEmpty ? nil : parts.removeFirst() })
    #expect(try await isForgotten(backend, commit))
    #expect(try await backend.check { _ in }.findings == [])
  }

  @Test func `are withheld with the redaction that names them until it is due`() async throws {
    let clock = TestClock()
    var replica = ScriptedReplica(1)
    let now = clock.now
    let commit = replica.commit(
      at: now,
      [
        EntityID("a").isCreated(), EntityID("a").has("name", .string(secret)),
      ]
    )
    let redaction = replica.redaction(
      at: now + 3_600_000,
      [Redaction(commit.id, [.init(key: nil, ordinals: OrdinalSet([1]))])]
    )
    let backend = try await openBackend(clock: clock)
    #expect(try await backend.append([commit, redaction]).withheldCount == 1)
    #expect(try await !isForgotten(backend, commit))
    clock.advance(by: 3_600_000)
    _ = try await backend.write(WriteRequest()) { _ in }
    #expect(try await isForgotten(backend, commit))
    #expect(try await backend.check { _ in }.findings == [])
  }

  @Test(
    .enabled(if: PlainFiles.areUsed)
  )
  func `are given to others in a form whose every change is found`() async throws {
    let scratch = try Scratch()
    let backend = try await openBackend(scratch.path("store"))
    try await backend.create("a", "Hat", ["name": .string(secret), "size": 3])
    let cells = try await backend.read(at: .now) { try await $0.contentCells(of: "a") }
    let (_, receipt) = try await backend.write(WriteRequest()) { writer in
      try await writer.redact(
        cells.map { redaction in
          Redaction(
            redaction.commit,
            redaction.parts.map { .init(key: "name", ordinals: $0.ordinals) }
          )
        }
      )
    }
    #expect(receipt?.commit.kind == .redactions)
    #expect(try await backend.read(at: .now) { try await $0.entity("a") }?.keys == ["size"])
    let stored = try #require(
      try await backend.commits(beyond: .empty, atMost: .max).first?.blocks.first?.stored
    )
    try await backend.close()
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.path("store"))))
    let place = try #require(Data(bytes).range(of: Data(stored)))
    bytes[place.lowerBound + 5] ^= 1
    try replaceStore(scratch.path("store"), with: bytes)
    let again = try await openBackend(scratch.path("store"))
    #expect(try await !again.check { _ in }.isClean)
  }
}
