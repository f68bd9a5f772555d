import Foundation
import VarveCore
import VarveStore

/// A write of a simulation.
struct Writing: Sendable {
  /// The error that a failing write throws.
  struct GivenUp: Error {}

  let store: Store
  let operations: [StoreOperation]
  let time: Date?
  let ending: StoreStep.Ending
  /// Whether the content is read back.
  let confirms: Bool

  /// Writes. Returns the commit, and the number of refused operations.
  func run() async throws -> (commit: CommitSummary?, refusalCount: Int) {
    guard ending == .isCancelled else { return try await write() }
    // Cancelling affects the whole task, so the write has one of its own.
    return try await Task { try await write() }.value
  }

  private func write() async throws -> (commit: CommitSummary?, refusalCount: Int) {
    let (refusalCount, commit) = try await store.commit(author: "sim", at: time) { transaction in
      var refusalCount = 0
      for operation in operations {
        do {
          try await operation.apply(to: transaction)
          if confirms { try await operation.confirm(in: transaction, isDated: time != nil) }
        } catch {
          guard StoreSimulation.isRefusal(error) else { throw error }
          refusalCount += 1
        }
      }
      if ending == .fails { throw GivenUp() }
      if ending == .isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      return refusalCount
    }
    return (commit, refusalCount)
  }
}

extension StoreSimulation {
  func write(
    _ operations: [StoreOperation],
    at time: Date?,
    _ ending: StoreStep.Ending,
    in session: StoreFleet.Session
  ) async throws {
    let before = try await shape(session)
    let writing = Writing(
      store: session.store,
      operations: operations,
      time: time,
      ending: ending,
      confirms: !plan.passedOver.contains(.readBack)
    )
    let (commit, refusalCount) = try await writing.run()
    tally.refusalCount += refusalCount
    guard let commit else { return }
    if ending != .commits {
      try fail(.readBack, "a write that \(ending) made a commit")
    }
    tally.commitCount += 1
    note(commit, before, in: session)
    for case .purge(let ids) in operations {
      purged.formUnion(ids)
      written[session.copy] = nil
    }
  }

  /// Returns the states before a write, if they are needed.
  func shape(_ session: StoreFleet.Session) async throws -> StoreShapes? {
    guard plan.habits.contains(.undoes) else { return nil }
    return try await StoreShapes(of: session.store, cast)
  }

  /// Settles a conflict, and checks that it is no longer listed.
  func settle(
    _ pick: Int,
    _ settling: StoreStep.Settling,
    in session: StoreFleet.Session
  ) async throws {
    let conflicts = try await session.store.conflicts()
    guard !conflicts.isEmpty else { return }
    let conflict = conflicts[pick % conflicts.count]
    let resolution = settling.resolution(of: conflict)
    written[session.copy] = nil
    try await session.store.resolve(conflict, by: resolution)
    tally.settledCount += 1
    let left = try await session.store.conflicts()
    guard left.contains(where: { $0.entity == conflict.entity && $0.key == conflict.key }) else {
      return
    }
    try fail(
      .settling,
      "the \(conflict.kind) conflict of \(conflict.entity).\(conflict.key?.text ?? "") is listed "
        + "after \(resolution)"
    )
  }
}

extension StoreStep.Settling {
  fileprivate func resolution(of conflict: Conflict) -> ConflictResolution {
    switch (conflict.kind, self) {
    case (.value, .value(let value)): .value(value)
    case (.value, .lastVersion): .version(conflict.versions.count - 1)
    case (.value, _): .version(0)
    case (.death, .restoring(let mode)): .restoring(mode)
    case (.death, _): .death
    }
  }
}
