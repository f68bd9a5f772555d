import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

/// Small commits are packed on their way: what the reader can compute is left out.
@Suite struct PackedCommitTests {
  /// Random commits of some replicas, in an order in which each follows what it depends on.
  private func history(seed: UInt64, replicas: Int = 5, count: Int = 200) -> [Commit] {
    var random = SplitMix64(seed: seed)
    var writers = (0..<replicas).map { ScriptedReplica(UInt64($0) + 1) }
    var commits: [Commit] = []
    for number in 0..<count {
      let index = Int.random(in: writers.indices, using: &random)
      let time =
        random.chance(90) ? Int64(number) * 7 : Int64.random(in: 0..<1 << 40, using: &random)
      let seen = writers.enumerated().filter { $0.offset != index && random.chance(20) }
        .compactMap(\.element.last)
      let thing = EntityID(unchecked: "thing \(number)")
      let own = random.chance(10) ? Int64(number) * 9 : nil
      var commit: Commit
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where !commits.isEmpty:
        let cells = Redaction.Part(key: nil, ordinals: OrdinalSet([0]))
        let redaction = Redaction(random.pick(commits).id, [cells])
        commit = writers[index].redaction(at: time, seen: seen, [redaction])
      case 1:
        let text = String(repeating: "varve \(number) ", count: 9_000)
        commit = writers[index].commit(at: time, seen: seen, [thing.has("text", .string(text))])
      case 2: commit = writers[index].commit(at: time, sealing: [[2, 1], [2, 2], [2, 3]])
      case 3: commit = writers[index].commit(at: time, sealing: [])
      default:
        commit = writers[index].commit(at: time, seen: seen, [thing.has("size", 7, at: own)])
      }
      if random.chance(50) { commit = commit.rewritten(&random, of: commits) }
      writers[index].last = commit.id
      commits.append(commit)
    }
    return commits
  }

  /// Returns the bytes of a stream of commits.
  private func stream(_ commits: [Commit], packs: Bool = true) -> [UInt8] {
    var writer = CommitStreamWriter(packs: packs)
    for commit in commits { writer.add(commit) }
    return writer.take()
  }

  /// Reads a stream that arrives in pieces of random sizes.
  private func read(_ bytes: [UInt8], seed: UInt64 = 1) throws -> [Commit] {
    var random = SplitMix64(seed: seed)
    var reader = CommitStreamReader()
    var commits: [Commit] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...max(1, min(rest.count, 3_000)), using: &random)
      reader.add(rest.prefix(count))
      rest = rest.dropFirst(count)
      while let record = try reader.next() {
        switch record {
        case .header(let commit), .commit(let commit): commits.append(commit)
        case .block(let block):
          let last = commits.removeLast()
          commits.append(last.with(last.blocks + [block]))
        case .unreadable(_, let error): throw error
        }
      }
    }
    #expect(reader.pendingByteCount == 0)
    return commits
  }

  private func expectSame(_ found: [Commit], _ commits: [Commit]) {
    #expect(found.map(\.id) == commits.map(\.id))
    #expect(found.map(\.headerBytes) == commits.map(\.headerBytes))
    #expect(found.map(\.blocks) == commits.map(\.blocks))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the reader has the commits that were written, whatever they are`(seed: UInt64) throws {
    let commits = history(seed: seed)
    let bytes = stream(commits)
    expectSame(try read(bytes, seed: seed), commits)
    #expect(bytes.count < stream(commits, packs: false).count)
  }

  @Test func `more chains than are remembered are written and read`() throws {
    let commits = history(seed: 1, replicas: 600, count: 3_000)
    expectSame(try read(stream(commits)), commits)
  }

  @Test func `a stream that is taken in parts continues`() throws {
    let commits = history(seed: 2)
    var writer = CommitStreamWriter(packs: true)
    var bytes: [UInt8] = []
    for commit in commits {
      writer.add(commit)
      bytes += writer.take()
    }
    #expect(bytes == stream(commits))
  }

  @Test func `a commit of one cell takes less than half of its bytes`() throws {
    var writer = ScriptedReplica(1)
    let item: EntityID = "item"
    let commits = (0..<1_000).map {
      writer.commit(at: Int64($0) * 60_000, [item.has("size", .int(Int64($0)))])
    }
    #expect(2 * stream(commits).count < stream(commits, packs: false).count)
  }

  @Test func `a changed bit is noticed wherever it is`() throws {
    let commits = history(seed: 3, count: 12).filter { $0.byteCount < 1_000 }
    let ids = Set(commits.map(\.id))
    let bytes = stream(commits)
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      var reader = CommitStreamReader()
      reader.add(changed)
      do {
        while let record = try reader.next() {
          guard case .commit(let commit) = record else { continue }
          #expect(ids.contains(commit.id), "bit \(bit)")
        }
      } catch let error as VarveError {
        #expect([.damaged, .newerFormat].contains(error.code), "bit \(bit)")
      }
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `hostile bytes never trap`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes = stream(history(seed: seed, count: 6))
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
        in: 0...255,
        using: &random
      )
    }
    var reader = CommitStreamReader()
    reader.add(bytes)
    while let record = try? reader.next() { _ = record }
  }

  @Test func `a packed commit is bounded`() throws {
    var reader = CommitStreamReader()
    // A record of kind 4 with 2 MiB to come.
    reader.add([4, 0x80, 0x80, 0x80, 0x01])
    let error = #expect(throws: VarveError.self) { try reader.next() }
    #expect(error?.code == .damaged)
  }

  @Test func `a header that this build cannot read is named, and what follows is read`() throws {
    var writer = ScriptedReplica(1)
    let thing: EntityID = "thing"
    let first = writer.commit(at: 1, [thing.isCreated()])
    var header = first.header
    header.extensions = [CommitHeader.Extension(number: 7, bytes: [1])]
    let later = Commit(header: header, blocks: first.blocks)
    var other = ScriptedReplica(2)
    let second = other.commit(at: 2, seen: [later.id], [thing.has("size", 1)])
    var reader = CommitStreamReader()
    reader.add(stream([later, second]))
    guard case .unreadable(let id, let error)? = try reader.next() else {
      Issue.record("the header was read")
      return
    }
    #expect(id == later.id)
    #expect(error.code == .newerFormat)
    #expect(try reader.next()?.readable?.id == second.id)
  }

  // MARK: Between stores

  private let clock = TestClock()

  private func store(_ number: UInt64, commits: Int) async throws -> ReferenceBackend {
    let store = ReferenceBackend(
      replica: ReplicaID(high: 5, low: number),
      wallMilliseconds: clock.reading()
    )
    for n in 0..<commits {
      try await store.create(EntityID("\(number) \(n)"), ["size": .int(Int64(n))])
    }
    return store
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func `versions that pack commits synchronise with those that do not`(
    packs: (Bool, Bool)
  ) async throws {
    let (one, two) = (try await store(1, commits: 30), try await store(2, commits: 40))
    let (here, there) = InProcessChannel.pair()
    async let theirs = outcome(of: two, there, packs: packs.1)
    let ours = try await outcome(of: one, here, packs: packs.0).get()
    _ = try await theirs.get()
    try await expectEqual(one, two)
    let unpacked = try await one.commits(beyond: .empty, atMost: .max).prefix(30)
    let isPacked = packs == (true, true)
    #expect((ours.sentByteCount < stream(Array(unpacked), packs: false).count * 3 / 4) == isPacked)
  }

  @Test func `content that changed on the way ends the session, and is not added`() async throws {
    let (one, two) = (try await store(1, commits: 3), try await store(2, commits: 0))
    let (here, there) = InProcessChannel.pair()
    let changing = ChangingChannel(there) { bytes, _ in
      var frame = try Frame(encoded: bytes)
      guard case .data(var stream)? = try Message(frame) else { return bytes }
      stream[stream.count - 20] ^= 1
      frame.body = stream
      return frame.encoded
    }
    async let theirs = outcome(of: one, changing)
    let error = await #expect(throws: VarveError.self) { try await outcome(of: two, here).get() }
    _ = await theirs
    #expect(error?.code == .damaged)
    #expect(try await two.commits(beyond: .empty, atMost: .max).count < 3)
    _ = try await synchronize(one, two)
    try await expectEqual(one, two)
  }
}

extension Commit {
  /// Returns the commit with another author, message or field in its header.
  fileprivate func rewritten(_ random: inout SplitMix64, of commits: [Commit]) -> Commit {
    var header = header
    header.author = random.pick(["", "Sam", "Ém 🧢"])
    header.message = random.pick(["", "", "fixed"])
    if random.chance(20), let undone = commits.last { header.undone = undone.id }
    if random.chance(20) { header.extensions.append(.init(number: 40, bytes: [1, 2, 3])) }
    return Commit(header: header, blocks: blocks)
  }
}
