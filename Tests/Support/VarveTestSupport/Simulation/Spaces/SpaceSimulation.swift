import VarveCore
import VarveSync

/// Stores that meet at one space of a server, over a network that fails: clients whose processes
/// end, a server that ends at any point, goes back to a backup, parks what a client may not hand
/// over, or gives its address to another space.
///
/// The exchanges are the real ones, without any input and output between the two sides. The seed
/// alone determines the order of their requests.
package final class SpaceSimulation {
  let plan: SpacePlan
  let disk: any SimulatedDisk
  let clock = TestClock()
  let server: SimulatedServer
  var random: SplitMix64
  var generator: HistoryGenerator
  var clients: [SimulatedClient] = []
  /// Every commit that was written.
  var written: Set<CommitID> = []
  /// The commits that were acknowledged, and are not lost for a legitimate reason.
  var acknowledged: Set<CommitID> = []
  /// What the server had acknowledged before it went back, and some client still has.
  var awaitedAgain: Set<CommitID> = []
  /// The purges of those who may not hand them over.
  var forbidden: Set<CommitID> = []
  /// What the server of another space that got the address wrote.
  var writtenThere: Set<CommitID> = []
  /// Whether another space got the address.
  var hasEnded = false
  var newestMeeting: SpaceMeeting?
  var hasBackup = false
  var nextNumber = 20
  var exchangeCount: UInt64 = 0
  /// The events so far, for the report of a failure.
  package private(set) var journal: [String] = []
  package var tally: SpaceTally { server.note { $0.tally } }

  /// The number of the server's store, and of its backup.
  static let serverNumber = 1
  static let backupNumber = 1_001
  static let otherNumber = 2_001
  /// Numbers from here on are those of copies.
  static let copyNumber = 8_000
  static let address = "http://server/space"

  package init(_ plan: SpacePlan, disk: any SimulatedDisk) {
    self.plan = plan
    self.disk = disk
    random = SplitMix64(seed: plan.seed)
    generator = HistoryGenerator(seed: plan.seed, replicaCount: 1, startMilliseconds: clock.now)
    server = SimulatedServer(SimulatedStore(Self.serverNumber), plan.fault, plan.limits)
  }

  /// Runs from the beginning to the end.
  ///
  /// - Throws: ``SimulationFailure``.
  package func run() async throws {
    let source = SharedRandom(seed: plan.seed ^ 0x53_414C_54)
    try await Randomness.$source.withValue(RandomSource { source.next() }) {
      try await open(server.store)
      _ = try await server.store.backend.space()
      for number in 0..<plan.clientCount { try await addClient(number + 2) }
      for step in 0..<plan.stepCount {
        if plan.ends, step == plan.stepCount * 3 / 4 { try await endSpace() }
        try await takeStep()
        try await settleCrashes()
        if let lie = server.note({ $0.lie }) { throw SimulationFailure(lie) }
      }
      for client in clients { try await finish(client) }
      try await settleCrashes()
      if hasEnded { try await checkEnd() } else { try await heal() }
      for store in clients.map(\.store) + [server.store] { try await store.backend.close() }
    }
  }

  func note(_ line: @autoclosure () -> String) { if plan.isTold { journal.append(line()) } }

  func open(_ store: SimulatedStore) async throws {
    store.backend = try await disk.open(store.number, wallMilliseconds: store.reading(of: clock))
    _ = try await store.backend.leaveRetired()
  }
}
