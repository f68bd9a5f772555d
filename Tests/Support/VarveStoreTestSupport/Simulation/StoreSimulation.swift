import VarveCore
import VarveStore
import VarveTestSupport

/// Plays a history on several stores through the public interface, and checks after its steps that
/// all sessions agree.
package final class StoreSimulation {
  let plan: StorePlan
  let cast: StoreCast
  let fleet: StoreFleet
  var tally = StoreTally()
  /// The portrait of the stores with exactly these commits.
  var portraits: [Arrivals: StorePortrait] = [:]
  /// The subscriptions of each session.
  var watches: [Int: SessionWatch] = [:]
  /// The frontiers that each copy had.
  var frontiers: [Int: [Frontier]] = [:]
  /// The commits that each copy wrote without other events in between.
  var written: [Int: WrittenCommits] = [:]
  /// The entities that some copy has purged.
  var purged: Set<EntityID> = []
  /// Decides what is compared, independently of the steps.
  var random: SplitMix64

  package init(_ plan: StorePlan) throws {
    self.plan = plan
    cast = plan.cast
    fleet = try StoreFleet(plan)
    random = SplitMix64(seed: ~plan.seed)
  }

  /// Plays steps. Returns the first failure, or nil.
  package func run(_ steps: [StoreStep]) async -> (StoreFailure?, StoreTally) {
    // Ids and salts come from the seed too, so that a run can be repeated.
    let shared = SharedRandom(seed: plan.seed)
    let source = RandomSource { shared.next() }
    return await Randomness.$source.withValue(source) { await play(steps) }
  }

  private func play(_ steps: [StoreStep]) async -> (StoreFailure?, StoreTally) {
    var number = 0
    do {
      try await fleet.open()
      for (index, step) in steps.enumerated() {
        number = index
        let copies = try await play(step)
        tally.stepCount += 1
        for copy in copies { try await compare(copy, isThorough: false) }
        guard index % plan.thoroughEvery == plan.thoroughEvery - 1 else { continue }
        for copy in copies.prefix(1) { try await compare(copy, isThorough: true) }
      }
      for copy in Set(fleet.sessions.map(\.copy)).sorted() {
        try await compare(copy, isThorough: true)
      }
      try await fleet.close()
      return (nil, tally)
    } catch {
      var failure = error as? StoreFailure ?? StoreFailure(.error, "\(error)")
      failure.step = number
      return (failure, tally)
    }
  }

  /// Throws a failure, unless its kind is ignored.
  func fail(_ kind: StoreFailure.Kind, _ text: String) throws {
    guard !plan.passedOver.contains(kind) else { return }
    throw StoreFailure(kind, text)
  }

  /// Plays a step. Returns the copies that may have changed.
  private func play(_ step: StoreStep) async throws -> [Int] {
    switch step {
    case .advance(let milliseconds): fleet.clock.advance(by: milliseconds)
    case .protect(let id): fleet.guardian.protect(id)
    case .reopen(let index):
      watches[index] = nil
      try await fleet.reopen(index)
      return [fleet.sessions[index].copy]
    case .merge(let from, let into, let percent):
      return try await merge(from: from, into: into, percent: percent)
    case .sync(let one, let two): return try await sync(one, two)
    case .jump(let index, let milliseconds):
      if fleet.keeping(ofSession: index) != .reference {
        fleet.jump(index, milliseconds: milliseconds)
      }
    case .fork:
      for index in fleet.sessions.indices where fleet.keeping(ofSession: index) == .file {
        watches[index] = nil
      }
      guard let copy = try await fleet.fork() else { break }
      tally.forkCount += 1
      written[copy] = nil
      // What the copy had before is gone with its file.
      frontiers[copy] = frontiers[0]
      return [0, copy]
    case .interleave(let first, let second, let operations, let others):
      return try await interleave(first, operations, second, others)
    case .write(let index, _, _, _), .undo(let index, _), .undoBack(let index),
      .settle(let index, _, _), .compact(let index, _), .retire(let index, _), .rebuild(let index),
      .addIndex(let index, _, _), .importing(let index, _, _, _, _):
      try await play(step, in: fleet.sessions[index])
      return [fleet.sessions[index].copy]
    }
    return []
  }

  private func play(_ step: StoreStep, in session: StoreFleet.Session) async throws {
    do {
      switch step {
      case .write(_, let operations, let time, let ending):
        try await write(operations, at: time, ending, in: session)
      case .undo(_, let ago): try await undo(ago: ago, in: session)
      case .undoBack: try await undoBack(in: session)
      case .settle(_, let pick, let settling): try await settle(pick, settling, in: session)
      case .compact(_, let milliseconds):
        written[session.copy] = nil
        let report = try await session.store.compact(keeping: .milliseconds(milliseconds))
        if report.commit != nil { tally.foldCount += 1 }
      case .retire(_, let pick):
        written[session.copy] = nil
        let replicas = try await session.store.replicas()
        try await session.store.retire(replicas[pick % replicas.count].id)
      case .rebuild: try await session.store.rebuild()
      case .importing(_, let document, let policy, let isComplete, let date):
        try await importDocument(document, policy, isComplete: isComplete, at: date, in: session)
      case .addIndex(_, let key, let type): try await session.store.addIndex(on: key, of: type)
      default: break
      }
    } catch {
      guard Self.isRefusal(error) else { throw error }
      tally.refusalCount += 1
    }
  }

  /// Returns whether an error is a refusal by the rules.
  static func isRefusal(_ error: any Error) -> Bool {
    if error is Guardian.Veto || error is CancellationError || error is Writing.GivenUp {
      return true
    }
    return (error as? VarveError).map { refusals.contains($0.code) } ?? false
  }

  private static let refusals: Set<VarveError.Code> = [
    .notFound, .ownersDead, .duplicateIdentifier, .typeMismatch, .orphanRefused, .invalidArgument,
    .hookRefused, .changedMeanwhile, .validationFailed, .compacted, .unsupportedValue,
    .missingField, .fieldType,
    .timeOutOfRange,
  ]
}

/// The counts of a simulation of stores.
package struct StoreTally: Sendable, CustomStringConvertible {
  package var stepCount = 0
  package var commitCount = 0
  package var refusalCount = 0
  package var mergeCount = 0
  package var undoCount = 0
  package var exactUndoCount = 0
  package var settledCount = 0
  package var foldCount = 0
  package var portraitCount = 0
  package var foldedCount = 0
  package var pastCount = 0
  package var differenceCount = 0
  package var interleavedCount = 0
  package var importCount = 0
  package var forkCount = 0
  package var withheldCount = 0
  package var watchedCount = 0

  package init() {}

  package mutating func add(_ other: StoreTally) {
    stepCount += other.stepCount
    commitCount += other.commitCount
    refusalCount += other.refusalCount
    mergeCount += other.mergeCount
    undoCount += other.undoCount
    exactUndoCount += other.exactUndoCount
    settledCount += other.settledCount
    foldCount += other.foldCount
    portraitCount += other.portraitCount
    foldedCount += other.foldedCount
    pastCount += other.pastCount
    differenceCount += other.differenceCount
    interleavedCount += other.interleavedCount
    importCount += other.importCount
    forkCount += other.forkCount
    withheldCount += other.withheldCount
    watchedCount += other.watchedCount
  }

  package var description: String {
    "\(stepCount) steps: \(commitCount) commits, \(refusalCount) refusals, \(mergeCount) merges, "
      + "\(undoCount) undos (\(exactUndoCount) exact), \(settledCount) conflicts settled, "
      + "\(foldCount) compactions; \(portraitCount) portraits, \(foldedCount) folds, "
      + "\(pastCount) past states, \(differenceCount) differences; "
      + "\(interleavedCount) interleaved writes, \(importCount) imports, \(forkCount) forks, "
      + "\(withheldCount) states with withheld commits, \(watchedCount) watched changes"
  }
}
