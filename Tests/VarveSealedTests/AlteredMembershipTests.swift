import Testing
import VarveCore
import VarveSealed
import VarveTestSupport

@Suite("A membership log that a relay alters")
struct AlteredMembershipTests {
  /// Returns what a device makes of entries that a relay shows: whether it takes them for the log.
  private func isTaken(_ entries: [MembershipEntry], as expected: MembershipLog) -> Bool {
    guard let log = try? MembershipLog(encoded: entries.flatMap(\.encoded)) else { return false }
    return log.head == expected.head
  }

  @Test(arguments: Seeds.first(6, of: 0..<100))
  func `every alteration is noticed`(seed: UInt64) throws {
    let history = try RandomHistory(seed: seed, steps: 60)
    let log = history.team.log
    let entries = log.entries
    #expect(isTaken(entries, as: log), "honest devices agree")
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let index = Int.random(in: 0..<entries.count, using: &random)
      // One entry left out, repeated, or exchanged with another.
      var others = entries
      others.remove(at: index)
      #expect(!isTaken(others, as: log))
      #expect(!isTaken(Array(entries[...index]) + entries[index...], as: log))
      others = entries
      let other = Int.random(in: 0..<entries.count, using: &random)
      others.swapAt(index, other)
      if index != other { #expect(!isTaken(others, as: log)) }
      // One byte changed, anywhere.
      let bytes = entries[index].encoded
      let changed = random.mutated(bytes)
      if changed != bytes {
        let stream =
          entries[..<index].flatMap(\.encoded) + changed
          + entries[(index + 1)...].flatMap(\.encoded)
        #expect((try? MembershipLog(encoded: stream).head) != log.head)
      }
    }
  }

  @Test(arguments: Seeds.first(6, of: 0..<100))
  func `an inserted entry is noticed`(seed: UInt64) throws {
    let team = try RandomHistory(seed: seed, steps: 40).team
    let entries = team.log.entries
    var random = SplitMix64(seed: seed)
    let index = Int.random(in: 1...entries.count, using: &random)
    let attacker = try Signer.newDevice()
    // Entries of a stranger, of a member without the right, and of another space.
    let other = try SealedTeam().log.entries[1]
    let place = MembershipEntry.Place(
      space: team.space,
      number: Int64(index),
      previous: entries[index - 1].hash
    )
    let forged = [
      try MembershipEntry(.bind(.random()), at: place, milliseconds: 0, signedBy: attacker),
      try MembershipEntry(
        .role(team.ben.id, .admin, accepted: []),
        at: place,
        milliseconds: 0,
        signedBy: attacker
      ),
      other,
    ]
    for entry in forged {
      let stream = Array(entries[..<index]) + [entry] + entries[index...]
      #expect(throws: VarveError.self) {
        try MembershipLog(encoded: stream.flatMap(\.encoded))
      }
    }
  }

  @Test(arguments: Seeds.first(6, of: 0..<100))
  func `an older membership is refused by whoever has seen a newer one`(seed: UInt64) throws {
    let team = try RandomHistory(seed: seed, steps: 40).team
    let entries = team.log.entries
    var log = try MembershipLog(genesis: entries[0])
    var memory = MembershipMemory(log)
    for entry in entries.dropFirst() {
      let older = log
      try log.append(entry)
      try memory.follow(log)
      #expect(memory.head == log.head)
      let before = memory
      let error = #expect(throws: VarveError.self) { try memory.follow(older, own: log) }
      #expect(error?.code == .missingDependencies)
      #expect(memory == before)
    }
    #expect(try MembershipMemory(memory.secret) == memory)
  }

  /// An admin signs two entries for one place, and a relay goes on after the one with the other's
  /// successors.
  @Test func `an entry that is valid itself does not take the place of another`() throws {
    let team = try SealedTeam()
    let entries = team.log.entries
    let last = entries.count - 1
    let other = try MembershipEntry(
      .bind(.random()),
      at: .init(
        space: team.space,
        number: Int64(last - 1),
        previous: entries[last - 2].hash
      ),
      milliseconds: 0,
      signedBy: team.ana
    )
    let before = entries[..<(last - 1)].flatMap(\.encoded)
    #expect(try MembershipLog(encoded: before + other.encoded).head == other.hash)
    let stream = before + other.encoded + entries[last].encoded
    #expect(throws: VarveError.self) { try MembershipLog(encoded: stream) }
  }

  @Test func `an entry that was signed for another space is refused`() throws {
    var team = try SealedTeam()
    let next = team.log.nextPlace
    let entry = try MembershipEntry(
      .bind(.random()),
      at: .init(space: .random(), number: next.number, previous: next.previous),
      milliseconds: 0,
      signedBy: team.ana
    )
    let error = #expect(throws: VarveError.self) { try team.log.append(entry) }
    #expect(error?.message.contains("another space") == true)
  }

  @Test func `the log of another space is refused`() throws {
    var memory = MembershipMemory(try SealedTeam().log)
    let other = try SealedTeam().log
    let error = #expect(throws: VarveError.self) { try memory.follow(other) }
    #expect(error?.code == .damaged)
  }

  @Test func `an entry of a newer version is not taken for damage`() throws {
    let entry = try #require(try SealedTeam().log.entries.last)
    for place in [0, 1] {
      var body = entry.encoded
      let start = body.count - 64 - 98 - 16
      body[start + place] = 77
      let error = #expect(throws: VarveError.self) { try MembershipEntry(encoded: body) }
      #expect(error?.code == .newerFormat)
    }
  }
}
