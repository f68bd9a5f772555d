import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("A part of a commit that its whole blocks contradict")
struct RefutedPartTests {
  /// Returns the commit with blocks of another content, as if cells of them had been redacted.
  private func forged(_ commit: Commit, _ lines: [ScriptedReplica.Line]) throws -> Commit {
    var builder = BlockBuilder()
    for line in lines { _ = builder.add(line.content, entity: line.entity, time: line.time) }
    let payload = builder.take().payloads()[0]
    return commit.with([Block(redacting: commit.blocks[0], to: payload)])
  }

  private static let honest: [ScriptedReplica.Line] = [
    EntityID("a").isCreated(), EntityID("a").has("x", 1), EntityID("a").has("y", 2),
    EntityID("b").isCreated(), EntityID("a").owns("b"),
  ]

  private static let forgeries: [[ScriptedReplica.Line]] = [
    // Another value, another entity, another type, another time, another relation, fewer cells.
    [EntityID("a").isCreated(), EntityID("a").has("x", 7)],
    [EntityID("z").isCreated(), EntityID("z").has("x", 1)],
    [EntityID("a").isCreated("Other"), EntityID("a").has("x", 1)],
    [EntityID("a").isCreated(), EntityID("a").has("x", 1, at: 900)],
    [EntityID("a").isCreated(), EntityID("a").owns("c"), EntityID("c").isCreated()],
    [EntityID("a").isCreated(), EntityID("a").says(.life(.erased))],
    [EntityID("a").isCreated(), EntityID("a").has("x", 1)],
  ]

  @Test(arguments: forgeries.indices)
  func `ceases to count when they arrive`(number: Int) async throws {
    var replica = ScriptedReplica(1)
    let commit = replica.commit(at: 1_000, Self.honest)
    let next = replica.commit(at: 2_000, [EntityID("a").has("z", 3)])
    let expected = try await openBackend()
    _ = try await expected.append([commit, next])
    // The whole commit comes together with the next one, alone before it, and after it.
    for arrivals in [[[commit, next]], [[commit], [next]], [[next], [commit]]] {
      let backend = try await openBackend()
      _ = try await backend.append([forged(commit, Self.forgeries[number])])
      for commits in arrivals { _ = try await backend.append(commits) }
      #expect(try await backend.check { _ in }.findings == [])
      for id in ["a", "b", "c", "z"] as [EntityID] {
        let one = try await backend.read(at: .now) { try await $0.entity(id) }
        let other = try await expected.read(at: .now) { try await $0.entity(id) }
        #expect(one?.type == other?.type && one?.datestamp == other?.datestamp)
        #expect(one?.properties == other?.properties && one?.modified == other?.modified)
      }
    }
  }

  @Test func `is found in a chunk of a large value too`() async throws {
    let large = Value.data(Data(count: 3 << 20))
    var replica = ScriptedReplica(1)
    let commit = replica.commit(
      at: 1_000,
      [EntityID("a").isCreated(), EntityID("a").has("picture", large)]
    )
    var blocks = commit.blocks
    let last = blocks.count - 1
    var payload = try blocks[last].payload()
    payload[payload.count / 2] ^= 1
    blocks[last] = Block(redacting: blocks[last], to: payload)
    let backend = try await openBackend()
    _ = try await backend.append([commit.with(blocks)])
    #expect(try await picture(in: backend) != large)
    _ = try await backend.append([commit])
    #expect(try await picture(in: backend) == large)
    #expect(try await backend.check { _ in }.findings == [])
  }

  private func picture(in backend: any Backend) async throws -> Value? {
    try await backend.read(at: .now) { try await $0.entity("a") }?.property("picture")?.value
  }
}
