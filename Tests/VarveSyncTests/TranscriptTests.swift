import Testing
import VarveCore
import VarveSync
import VarveTestSupport

@Suite("A transcript of the first format")
struct TranscriptTests {
  @Test(arguments: [
    (false, "47c81cdb187cf1b0621cebb6aa07876f8c6a9f6c6be24bcc6c6d6e15c91b8395"),
    (true, "a09a95008f2ed40653f8b5b8e68d804f9ee4b07e6a8891340de21aaa2dbb753f"),
  ]
  )
  func `is made again byte for byte, without packed commits and with them`(
    packs: Bool,
    expected: String
  ) async throws {
    let source = SharedRandom(seed: 1)
    let random = RandomSource { source.next() }
    let frames = try await Randomness.$source.withValue(random) {
      try await transcript(packs: packs)
    }
    #expect(frames.count == 21)
    let digest = frames.reduce(into: [UInt8]()) { $0 += $1 }
    #expect(ContentDigest.sha256(digest).hexadecimal == expected)
  }

  /// Every frame of two stores that synchronise, in the order in which they are sent.
  private func transcript(packs: Bool) async throws -> [[UInt8]] {
    let clock = TestClock()
    var (one, two) = (ScriptedReplica(1), ScriptedReplica(2))
    let (hat, shop): (EntityID, EntityID) = ("hat", "01900000-0000-7000-8000-00000000000a")
    let first = one.commit(at: 1_000, [hat.isCreated(), hat.has("size", 12)])
    let backends = (0..<2).map { number in
      ReferenceBackend(
        replica: ReplicaID(high: 9, low: UInt64(number)),
        wallMilliseconds: clock.reading()
      )
    }
    _ = try await backends[0].append([first, one.commit(at: 1_001, [hat.has("color", "red")])])
    let second = two.commit(at: 2_000, seen: [first.id], [shop.isCreated("Shop"), shop.owns(hat)])
    _ = try await backends[1].append([first, second])
    var sessions = [1, 2].map { SyncSession(tag: $0, packs: packs) }
    var performers = backends.map { SyncPerformer($0) }
    var actions: [[SyncAction]] = [[], []]
    for n in 0..<2 {
      let (replica, frontier) = (
        try await backends[n].replica(), try await backends[n].frontier()
      )
      actions[n] = sessions[n].start(
        replica: replica,
        summits: try await backends[n].summits(),
        frontier: frontier
      )
    }
    var frames: [[UInt8]] = []
    while let n = actions.firstIndex(where: { !$0.isEmpty }) {
      let action = actions[n].removeFirst()
      if case .send(let frame) = action {
        frames.append(frame)
        actions[1 - n] += sessions[1 - n].receive(frame)
      } else if let event = try await performers[n].perform(action) {
        actions[n] += sessions[n].handle(event)
      }
    }
    #expect(sessions[0].isOver && sessions[1].isOver)
    try await expectEqual(backends[0], backends[1])
    return frames
  }
}
