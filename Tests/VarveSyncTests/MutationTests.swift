import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveSync
import VarveTestSupport

/// Corrupted input is refused with an error, or makes no difference.
@Suite("Bytes of others that have changed", .timeLimit(.minutes(10)))
struct MutationTests {
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `bytes of others that have changed are found in a folder's segments`(seed: UInt64)
    async throws
  { try await mutateSegments(seed: seed, count: 8) }

  @Test(
    arguments: 0..<2 as Range<UInt64>
  )
  func `are found on the wire, with wrong checksums and correct ones`(seed: UInt64) async throws {
    try await mutateFrames(seed: seed, count: 5)
  }
}

@Suite(
  "Soak: bytes of others that have changed",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct MutationSoakTests {
  @Test(arguments: 100..<140 as Range<UInt64>)
  func `soak: bytes of others that have changed are found in a folder's segments`(seed: UInt64)
    async throws
  { try await mutateSegments(seed: seed, count: 200) }

  @Test(arguments: 100..<140 as Range<UInt64>)
  func `soak: bytes of others that have changed are found on the wire`(seed: UInt64) async throws {
    try await mutateFrames(seed: seed, count: 200)
  }
}

/// A backend with some history: two replicas' commits, conflicts, relations and a large value.
private func author(seed: UInt64, _ clock: TestClock) async throws -> ReferenceBackend {
  let fleet = Fleet(
    [
      ReferenceBackend(wallMilliseconds: clock.reading()),
      ReferenceBackend(wallMilliseconds: clock.reading()),
    ],
    clock: clock
  )
  var generator = HistoryGenerator(seed: seed, replicaCount: 2)
  try await fleet.run(generator.steps(12))
  try await fleet.mergeAll()
  let author = ReferenceBackend(wallMilliseconds: clock.reading())
  try await author.catchUp(with: fleet.backends[0])
  try await author.create("large", ["bytes": .data(noise(1_200_000))])
  return author
}

/// An empty store that receives the mutated data.
private func taker(_ clock: TestClock) async throws -> SQLiteBackend {
  var configuration = SQLiteBackend.Configuration()
  configuration.wallMilliseconds = clock.reading()
  return try await SQLiteBackend.open(.inMemory, configuration: configuration)
}

/// Expects a store to hold commits of another only, each as it is there, and to be in order.
///
/// - Parameter changedHeaderCount: the most commits of an author's content under another header. A
///   header names its own commit (R12), so one that changed together with its checksum is that of
///   another commit.
private func expectPart(
  _ taker: any Backend,
  of author: any Backend,
  _ place: Comment,
  changedHeaderCount: Int = 0,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let (commits, all) = (
    try await taker.commits(beyond: .empty, atMost: .max),
    try await author.commits(beyond: .empty, atMost: .max)
  )
  let known = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.blocks) })
  let others = commits.filter { known[$0.id] == nil }
  #expect(others.count <= changedHeaderCount, place, sourceLocation: sourceLocation)
  let contents = Set(known.values)
  for commit in commits {
    let isAsSent = known[commit.id].map { $0 == commit.blocks } ?? contents.contains(commit.blocks)
    #expect(isAsSent, place, sourceLocation: sourceLocation)
  }
  #expect(try await taker.check { _ in }.findings == [], place, sourceLocation: sourceLocation)
}

private func mutateSegments(seed: UInt64, count: Int) async throws {
  let (scratch, clock) = (try Scratch(), TestClock())
  let author = try await author(seed: seed, clock)
  var random = SplitMix64(seed: seed)
  for round in 0..<count {
    let folder = try SyncFolder(scratch.path("\(round)"))
    _ = try await folder.synchronize(author)
    let name = random.pick(try scratch.names(in: "\(round)"))
    let file = URL(fileURLWithPath: scratch.path("\(round)/\(name)"))
    let whole = Array(try Data(contentsOf: file))
    try Data(random.mutated(whole)).write(to: file)
    let taker = try await taker(clock)
    do {
      let report = try await folder.synchronize(taker)
      if report.isComplete { try await expectEqual(author, taker) }
    } catch is VarveError {
      // Refused with an error.
    }
    try await expectPart(taker, of: author, "seed \(seed), round \(round), \(name)")
    // A store that has the commits repairs the folder.
    _ = try await folder.synchronize(author)
    _ = try await folder.synchronize(taker)
    try await expectEqual(author, taker)
    try await taker.close()
  }
}

private func mutateFrames(seed: UInt64, count: Int) async throws {
  let clock = TestClock()
  let author = try await author(seed: seed, clock)
  var random = SplitMix64(seed: seed)
  for round in 0..<count {
    let taker = try await taker(clock)
    let (here, there) = InProcessChannel.pair()
    let mutation = FrameMutation(
      seed: random.next(),
      at: Int.random(in: 0..<12, using: &random),
      keepsChecksum: random.chance(50)
    )
    let isTheirs = random.chance(50)
    async let theirs = outcome(of: author, mutation.channel(there, isTheirs))
    let ours = await outcome(of: taker, mutation.channel(here, !isTheirs))
    for outcome in [ours, await theirs] {
      guard case .failure(let error) = outcome else { continue }
      #expect(error is VarveError, "seed \(seed), round \(round): \(error)")
    }
    if case .success(let report) = ours, report.isComplete { try await expectEqual(author, taker) }
    try await expectPart(
      taker,
      of: author,
      "seed \(seed), round \(round)",
      changedHeaderCount: isTheirs && mutation.keepsChecksum ? 1 : 0
    )
    _ = try await synchronize(author, taker)
    try await expectEqual(author, taker)
    try await taker.close()
  }
}

/// The fault of one frame of a connection.
private struct FrameMutation: Sendable {
  let seed: UInt64
  let place: Int
  /// Whether the frame's body changes and its checksum matches, as if a peer sent invalid content.
  let keepsChecksum: Bool

  init(seed: UInt64, at place: Int, keepsChecksum: Bool) {
    self.seed = seed
    self.place = place
    self.keepsChecksum = keepsChecksum
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    guard keepsChecksum, var frame = try? Frame(encoded: bytes) else {
      return random.mutated(bytes)
    }
    frame.body = random.mutated(frame.body)
    return frame.encoded
  }

  /// Returns a connection that sends through another, with this fault or without.
  func channel(_ inner: InProcessChannel, _ hasFault: Bool) -> ChangingChannel {
    ChangingChannel(inner) { frame, sent in
      hasFault && sent == place ? applied(to: frame) : frame
    }
  }
}
