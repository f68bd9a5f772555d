import VarveCore
import VarveSQLite
import VarveStore
package import VarveTestSupport

/// The conformance suite of stores whose log is at a home: SQLite files as its indexes.
///
/// A rule throws a ``TrialFailure`` if it does not hold.
package struct IndexTrial {
  let subject: any HomeSubject
  private let scratch: Scratch

  package init(_ subject: any HomeSubject) throws {
    self.subject = subject
    scratch = try Scratch()
  }

  /// The rules, one a case.
  package enum Rule: String, CaseIterable, Sendable {
    case aLostIndexIsMadeAnew
    case anIndexThatEndedTooEarlyCatchesUp
    case indexesWriteOneChainInTurns
    case aLoneWriterDoesNotLookBeforeItsTurn
    case aWriteThatFailsLeavesNoTrace
    case anIndexCatchesUpDuringAnothersTurn
    case anIndexFollowsAnnouncements
    case anIndexReadsWhatWasWrittenElsewhere
    case aStoreMovesIn
    case aFileWithoutItsHomeIsACopy
    case anIndexOfAnotherSpaceIsRefused
    case aNewerHomeIsRefused
    case clocksOfHostsDecideNothing
    case withheldCommitsTakeEffectForAllAtOnce
    case aPushedCommitOfTheHomesReplicaReplacesIt
    case retirementReplacesTheReplicaForAll
    case purgesReachTheHomeAndEveryIndex
    case aHomeThatWentBackIsGivenWhatItLost
    case aHomeThatWentBackHasOneOrderForAll
    case aHomeThatWentBackForgetsAgain
    case aHomeThatWentBackReleasesAgain
    case aWriteWithAnUnknownOutcomeIsFound
    case aWriteThatTheHomeNeverHadFails
    case aWriteThatCannotBeLookedUpIsUnknown
    case aLostTurnLeavesNoTrace
  }

  /// Plays a rule.
  package func play(_ rule: Rule) async throws {
    switch rule {
    case .aLostIndexIsMadeAnew: try await lostIndex()
    case .anIndexThatEndedTooEarlyCatchesUp: try await ended()
    case .indexesWriteOneChainInTurns: try await turns()
    case .aLoneWriterDoesNotLookBeforeItsTurn: try await loneWriter()
    case .aWriteThatFailsLeavesNoTrace: try await failed()
    case .anIndexCatchesUpDuringAnothersTurn: try await reading()
    case .anIndexFollowsAnnouncements: try await announcements()
    case .anIndexReadsWhatWasWrittenElsewhere: try await positions()
    case .aStoreMovesIn: try await movingIn()
    case .aFileWithoutItsHomeIsACopy: try await leaving()
    case .anIndexOfAnotherSpaceIsRefused: try await otherSpace()
    case .aNewerHomeIsRefused: try await newerFormat()
    case .clocksOfHostsDecideNothing: try await clocks()
    case .withheldCommitsTakeEffectForAllAtOnce: try await withheld()
    case .aPushedCommitOfTheHomesReplicaReplacesIt: try await fork()
    case .retirementReplacesTheReplicaForAll: try await retirement()
    case .purgesReachTheHomeAndEveryIndex: try await purge()
    case .aHomeThatWentBackIsGivenWhatItLost: try await goingBack()
    case .aHomeThatWentBackHasOneOrderForAll: try await goingBackInOrder()
    case .aHomeThatWentBackForgetsAgain: try await goingBackBeforeAPurge()
    case .aHomeThatWentBackReleasesAgain: try await goingBackBeforeARelease()
    case .aWriteWithAnUnknownOutcomeIsFound: try await foundAgain()
    case .aWriteThatTheHomeNeverHadFails: try await neverThere()
    case .aWriteThatCannotBeLookedUpIsUnknown: try await unreachable()
    case .aLostTurnLeavesNoTrace: try await lostTurn()
    }
  }

  // MARK: Indexes

  /// A store and the backend below it.
  struct Index {
    let backend: SQLiteBackend
    let store: Store

    func set(_ id: EntityID, _ size: Int64) async throws {
      try await store.set(id, "size", .int(size))
    }

    func size(_ id: EntityID) async throws -> Value? { try await store.entity(id)?["size"] }

    func create(_ id: EntityID, _ values: [PropertyKey: Value] = [:]) async throws {
      try await store.create("Hat", id: id, values)
    }
  }

  func path(_ name: String) -> String { scratch.path(name) }

  /// Opens the file of an index.
  func open(
    _ name: String,
    _ home: (any LogHome)? = nil,
    skew: Int64 = 0,
    follows: Bool = false
  ) async throws -> Index {
    var opened = home
    if opened == nil { opened = try await subject.open() }
    return try await open(file: name, home: opened, skew: skew, follows: follows)
  }

  /// Opens the file of a store.
  func open(
    file name: String,
    home: (any LogHome)?,
    skew: Int64 = 0,
    follows: Bool = false
  ) async throws -> Index {
    var configuration = SQLiteBackend.Configuration()
    configuration.wallMilliseconds = subject.clock.reading(skew: skew)
    configuration.home = home
    configuration.followsAnnouncements = follows
    configuration.checksInvariants = true
    let backend = try await SQLiteBackend.open(.file(path(name)), configuration: configuration)
    return Index(backend: backend, store: Store(backend: backend))
  }

  func remove(_ name: String) throws {
    for suffix in ["", "-wal", "-shm"] { try scratch.remove(name + suffix) }
  }

  /// Requires that indexes have everything up to one position, in the same order, and the same
  /// state.
  func requireEqual(_ indexes: Index..., at what: String) async throws {
    var first:
      (position: HomePosition?, end: HomePosition, frontier: Frontier, export: CanonicalExport)?
    for (number, index) in indexes.enumerated() {
      let position = try await index.backend.applyArrivals()
      let end = try await index.backend.end()
      let frontier = try await index.backend.frontier()
      let export = try await CanonicalExport(of: index.backend)
      let findings = try await index.backend.check { _ in }.findings
      try TrialFailure.unless(findings == [], "\(what): index \(number) has \(findings)")
      guard let first else {
        first = (position, end, frontier, export)
        continue
      }
      try TrialFailure.unless(first.position == position, "\(what): positions differ")
      try TrialFailure.unless(first.end == end, "\(what): the commits have other places")
      try TrialFailure.unless(first.frontier == frontier, "\(what): frontiers differ")
      let difference = first.export.firstDifference(from: export)
      try TrialFailure.unless(difference == nil, "\(what): \(difference ?? "")")
    }
  }

  func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    try TrialFailure.unless(condition, what())
  }

  /// Returns the error that a body throws.
  func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
