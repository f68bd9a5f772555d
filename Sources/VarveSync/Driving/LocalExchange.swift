package import VarveCore

/// Synchronises two logs in this process with the same sessions as over a connection. One task
/// drives them, and commits are passed on without encoding.
package struct LocalExchange {
  /// The frames and commits in transit to a side.
  private enum Delivery {
    case frame([UInt8])
    case commit(Commit)
  }

  private struct Side {
    let log: any CommitLog
    var session: SyncSession
    var performer: SyncPerformer
    var actions: ArraySlice<SyncAction> = []
    var wire: ArraySlice<Delivery> = []
    var report: SyncReport?
  }

  private var sides: [Side]
  private let wantsOutlines: Bool
  private let isOneWay: Bool

  /// Prepares a synchronisation.
  ///
  /// - Parameters:
  ///   - here: the log whose progress is reported.
  ///   - there: the other log.
  ///   - isOneWay: whether commits come from there, and none go there.
  ///   - wantsOutlines: whether a log that can take the present before its history receives it so.
  package init(
    _ here: any CommitLog,
    _ there: any CommitLog,
    isOneWay: Bool = false,
    wantsOutlines: Bool = false,
    limits: SyncLimits = .inProcess
  ) {
    self.wantsOutlines = wantsOutlines
    self.isOneWay = isOneWay
    sides = [here, there].enumerated().map { place, log in
      Side(
        log: log,
        session: SyncSession(
          tag: UInt64(place),
          limits: limits,
          handsOver: true,
          sendsCommits: place == 1 || !isOneWay
        ),
        performer: SyncPerformer(log, limits: limits)
      )
    }
  }

  /// Runs until both sides have ended.
  ///
  /// - Parameter progress: called after each addition here.
  /// - Throws: the error of the log that failed; `CancellationError`. Received commits are kept.
  package mutating func run(
    _ progress: (SyncProgress) -> Void = { _ in }
  ) async throws -> (here: SyncReport, there: SyncReport) {
    if sides.contains(where: { $0.log.sealing != nil }) {
      let (here, there) = (sides[0].log, sides[1].log)
      let mayFollow =
        isOneWay
        ? try await SealedExchange.take(here, from: there)
        : try await SealedExchange.run(here, there)
      guard mayFollow else { return (SyncReport(), SyncReport()) }
    }
    for place in sides.indices { try await start(place) }
    // A side receives nothing while it has actions to perform, as over a connection: its next read
    // depends on what it knew when it requested the read.
    while true {
      try Task.checkCancellation()
      if let place = sides.firstIndex(where: { !$0.actions.isEmpty }) {
        try await step(place, progress)
      } else if let place = sides.firstIndex(where: { !$0.wire.isEmpty }) {
        deliver(to: place)
      } else {
        break
      }
    }
    guard let here = sides[0].report, let there = sides[1].report else {
      preconditionFailure("a session that has not ended waits for a frame that is on its way")
    }
    return (here, there)
  }

  private mutating func start(_ place: Int) async throws {
    let log = sides[place].log
    sides[place].actions += try await sides[place].session.start(
      on: log,
      wantsOutlines: wantsOutlines
    )
  }

  private mutating func deliver(to place: Int) {
    switch sides[place].wire.popFirst() {
    case .frame(let frame)?: sides[place].actions += sides[place].session.receive(frame)
    case .commit(let commit)?: sides[place].actions += sides[place].session.receive(commit)
    case nil: break
    }
  }

  /// Performs the next action of a side.
  private mutating func step(_ place: Int, _ progress: (SyncProgress) -> Void) async throws {
    guard let action = sides[place].actions.popFirst() else { return }
    let other = 1 - place
    switch action {
    case .send(let frame): sides[other].wire.append(.frame(frame))
    case .handOver(let commit): sides[other].wire.append(.commit(commit))
    case .finish(let report): sides[place].report = report
    case .fail(let error): throw error
    default:
      guard let event = try await sides[place].performer.perform(action) else { return }
      sides[place].actions += sides[place].session.handle(event)
      if place == 0, case .appended = event { progress(sides[0].session.progress) }
    }
  }
}

extension SyncLimits {
  /// Limits for logs of one process: parts as large as one transaction should be.
  package static var inProcess: SyncLimits {
    var limits = SyncLimits()
    limits.part = 8 << 20
    limits.append = 8 << 20
    limits.window = 16 << 20
    return limits
  }
}
