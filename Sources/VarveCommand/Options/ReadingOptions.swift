#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The state to read.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read a past state: a date (2018-12-08 or 2018-12-08T14:30:00Z), a commit, or a frontier.",
      valueName: "state"
    ),
    transform: MomentName.parse
  )
  var asOf: MomentName = .now

  /// Reads one state of a store: the requested one, or the present.
  func read<Result>(
    _ store: Store,
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    try await read(store, counting: "") { state, _ in try await body(state) }
  }

  /// Reads one state of a store, and reports the progress in a unit, unless the result is written to
  /// the terminal meanwhile.
  func read<Result>(
    _ store: Store,
    counting unit: String,
    isShown: Bool = true,
    _ body: (Snapshot, Progress) async throws -> Result
  ) async throws -> Result {
    let moment = try await asOf.moment(in: store)
    return try await Progress.during("read", unit, isWanted: isShown) { progress in
      if moment == .now { return try await store.read { try await body($0, progress) } }
      do {
        return try await store.asOf(moment).read { try await body($0, progress) }
      } catch let error as VarveError where error.code == .notFound && error.entity != nil {
        throw Self.absence(error)
      }
    }
  }

  /// Returns the error for an entity that is not there in a past state, where nothing can be created or
  /// restored.
  private static func absence(_ error: VarveError) -> VarveError {
    VarveError(
      .notFound,
      "\(error.message) in this state",
      at: error.place,
      remedy: "Read another state; varve history shows when the entity was added and erased.",
      entity: error.entity
    )
  }
}

extension MomentName {
  /// Parses the name of a state.
  @Sendable static func parse(_ text: String) throws -> MomentName {
    guard let name = MomentName(text) else {
      throw UsageError("write a state as \(forms)")
    }
    return name
  }
}
#endif
