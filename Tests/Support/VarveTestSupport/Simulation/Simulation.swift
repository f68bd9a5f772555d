import VarveCore
import VarveSync

/// Replicas with their own clocks, disks and network, all of which fail at times, driven by one
/// seed.
///
/// The seed alone determines the steps. At the end all faults are healed, and the stores must be
/// equal after a limited number of rounds: see ``SimulationFailure``.
package final class Simulation {
  let plan: SimulationPlan
  let disk: any SimulatedDisk
  let clock = TestClock()
  var random: SplitMix64
  var generator: HistoryGenerator
  var stores: [SimulatedStore] = []
  var links: [SimulatedLink] = []
  /// The commits that were acknowledged as kept, and are not lost for a legitimate reason.
  var acknowledged: Set<CommitID> = []
  /// Every commit that was ever written.
  var written: Set<CommitID> = []
  /// Commits as they were written, before anything of them was forgotten.
  var originals: [CommitID: Commit] = [:]
  /// The numbers of backups, by store.
  var backups: [Int: Int] = [:]
  var nextNumber: Int
  var nextTag: UInt64 = 1
  var faultedLogs: [[Int]: FaultedLog] = [:]
  var writeCount: Int64 = 0
  /// Whether the next commit is to be one of a hundred thousand cells.
  var isHugeDue = false
  /// The events so far, for the report of a failure.
  package private(set) var journal: [String] = []
  package var tally = SimulationTally()

  static let pair: EntityID = "pair"

  package init(_ plan: SimulationPlan, disk: any SimulatedDisk) {
    self.plan = plan
    self.disk = disk
    random = SplitMix64(seed: plan.seed)
    nextNumber = 100
    generator = HistoryGenerator(
      seed: plan.seed,
      replicaCount: 1,
      startMilliseconds: clock.now
    )
  }

  /// Runs from the beginning to the end.
  ///
  /// - Throws: ``SimulationFailure``.
  package func run() async throws {
    let source = SharedRandom(seed: plan.seed ^ 0x53_414C_54)
    let random = RandomSource { source.next() }
    try await Randomness.$source.withValue(random) {
      for number in 0..<plan.storeCount { _ = try await addStore(number) }
      for step in 0..<plan.stepCount {
        if step == plan.stepCount * 9 / 10 { isHugeDue = plan.isHuge }
        do {
          try await takeStep()
        } catch let crash as SimulatedCrash {
          try await restart(crash.store)
        }
        if step % 8 == 0 {
          try await checkVisibility()
          try await checkOutlined()
        }
      }
      try await heal()
    }
  }

  func note(_ line: @autoclosure () -> String) { if plan.isTold { journal.append(line()) } }

  func addStore(_ number: Int) async throws -> SimulatedStore {
    let store = SimulatedStore(number)
    try await open(store)
    stores.append(store)
    return store
  }

  /// Opens a store, which continues under a fresh replica id if its own is retired.
  func open(_ store: SimulatedStore) async throws {
    store.backend = try await disk.open(store.number, wallMilliseconds: store.reading(of: clock))
    _ = try await store.backend.leaveRetired()
  }

  /// Returns the log of a store as another store sees it.
  func log(of store: SimulatedStore, for other: Int) -> any CommitLog {
    let log = FaultyLog(store: store)
    guard let fault = plan.fault else { return log }
    let key = [store.number, other]
    if let faulted = faultedLogs[key] { return faulted }
    let faulted = FaultedLog(log, fault, store, clock, seed: plan.seed)
    faultedLogs[key] = faulted
    return faulted
  }

  func store(_ number: Int) -> SimulatedStore {
    guard let store = stores.first(where: { $0.number == number }) else {
      preconditionFailure("a link joins stores that are there")
    }
    return store
  }

  /// Ends the process of a store and starts it again.
  func restart(_ number: Int) async throws {
    note("store \(number) ends and starts")
    tally.crashCount += 1
    for index in links.indices where links[index].joins(number) { links[index].cut() }
    links.removeAll(where: \.isOver)
    let store = store(number)
    store.failure = nil
    try await store.backend.close()
    try await open(store)
  }
}

/// The parameters of a simulation.
package struct SimulationPlan: Sendable {
  package var seed: UInt64
  package var stepCount: Int
  package var storeCount: Int
  package var fault: PlantedFault?
  /// A folder through which stores exchange commits besides.
  package var folder: String?
  /// The ways in which stores forget.
  package var forgetting: Forgetting = []
  /// Whether a journal is kept.
  package var isTold = false

  package init(seed: UInt64, stepCount: Int, storeCount: Int, fault: PlantedFault? = nil) {
    self.seed = seed
    self.stepCount = stepCount
    self.storeCount = storeCount
    self.fault = fault
  }

  /// Whether there is a commit of a hundred thousand cells. All that reads it takes its time, so
  /// few seeds have one, near the end.
  var isHuge: Bool { fault == nil && storeCount <= 4 && seed % 512 == 511 }

  /// Small ones, so that every bound is met often.
  var limits: SyncLimits {
    var limits = SyncLimits()
    limits.window = 4_096
    limits.frame = 700
    limits.part = 2_000
    limits.append = 1_500
    limits.whole = 1_200
    limits.waiting = 3_000
    limits.headCount = 3
    (limits.joinCount, limits.joinByteCount, limits.joinedAgeMilliseconds) = (3, 6_000, 0)
    return limits
  }
}

/// The counts of a simulation, which show that it interleaved events.
package struct SimulationTally: Sendable {
  package var writeCount = 0
  package var linkCount = 0
  package var finishedLinkCount = 0
  package var brokenLinkCount = 0
  package var crashCount = 0
  package var cloneCount = 0
  package var restoreCount = 0
  package var largeCount = 0
  package var folderCount = 0
  package var forgettingCount = 0
  package var receivedCount = 0
  package var retireCount = 0
  package var recordCount = 0
  package var hugeCount = 0
  package var newcomerCount = 0
  package var completedCount = 0
  /// The number of times at which the present of a store with outlines was compared.
  package var outlinedCount = 0

  package init() {}

  /// Adds what another did.
  package mutating func add(_ other: SimulationTally) {
    writeCount += other.writeCount
    linkCount += other.linkCount
    finishedLinkCount += other.finishedLinkCount
    brokenLinkCount += other.brokenLinkCount
    crashCount += other.crashCount
    cloneCount += other.cloneCount
    restoreCount += other.restoreCount
    largeCount += other.largeCount
    folderCount += other.folderCount
    forgettingCount += other.forgettingCount
    receivedCount += other.receivedCount
    retireCount += other.retireCount
    recordCount += other.recordCount
    hugeCount += other.hugeCount
    newcomerCount += other.newcomerCount
    completedCount += other.completedCount
    outlinedCount += other.outlinedCount
  }
}

/// A failure that a simulation found.
package struct SimulationFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
