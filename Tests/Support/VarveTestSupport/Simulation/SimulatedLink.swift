import VarveCore
import VarveSync

/// A connection of two stores in a simulation: two sessions, and frames under way.
struct SimulatedLink {
  /// One end.
  struct End {
    let store: Int
    var session: SyncSession
    var performer: SyncPerformer
    var actions: ArraySlice<SyncAction> = []
    /// Frames on their way to this end.
    var wire: [[UInt8]] = []
    /// Whether nothing reaches this end.
    var isDeaf = false
    var isOver = false
    var report: SyncReport?
    var error: VarveError?
  }

  private(set) var ends: [End]
  private var hasStarted = [false, false]
  /// Whether stores that can take outlines ask for them.
  private let wantsOutlines: Bool

  /// - Parameters:
  ///   - tag: the first of two numbers no other session has.
  ///   - packing: whether each end sends and reads packed commits.
  ///   - limits: of the first end, then of the second.
  init(
    _ stores: (Int, Int),
    _ logs: (any CommitLog, any CommitLog),
    tag: UInt64,
    wantsOutlines: Bool = false,
    packing: (Bool, Bool) = (true, true),
    _ limits: SyncLimits...
  ) {
    self.wantsOutlines = wantsOutlines
    ends = [(stores.0, logs.0), (stores.1, logs.1)].enumerated().map { place, end in
      End(
        store: end.0,
        session: SyncSession(
          tag: tag &+ UInt64(place),
          limits: limits[place],
          packs: place == 0 ? packing.0 : packing.1
        ),
        performer: SyncPerformer(end.1, limits: limits[place])
      )
    }
  }

  var isOver: Bool { ends.allSatisfy(\.isOver) }

  func joins(_ store: Int) -> Bool { ends.contains { $0.store == store } }

  /// The possible next events: an end acts, or a frame reaches it.
  var choices: [(end: Int, isArrival: Bool)] {
    var choices: [(Int, Bool)] = []
    for (place, end) in ends.enumerated() where !end.isOver {
      if !hasStarted[place] || !end.actions.isEmpty { choices.append((place, false)) }
      if hasStarted[place], end.actions.isEmpty, !end.wire.isEmpty { choices.append((place, true)) }
    }
    return choices
  }

  /// Cuts the connection, for both ends.
  mutating func cut() {
    for place in ends.indices where !ends[place].isOver {
      _ = ends[place].session.closed()
      ends[place].isOver = true
    }
  }

  /// Lets nothing through to an end from now on.
  mutating func deafen(_ end: Int) { ends[end].isDeaf = true }

  /// Changes the frames that are in transit to an end.
  mutating func disturb(_ end: Int, _ change: (inout [[UInt8]]) -> Void) {
    change(&ends[end].wire)
  }

  /// Does the next action of an end.
  mutating func act(_ place: Int, log: any CommitLog) async throws {
    guard hasStarted[place] else {
      hasStarted[place] = true
      let (replica, frontier) = (try await log.replica(), try await log.frontier())
      ends[place].actions += ends[place].session.start(
        replica: replica,
        summits: try await log.summits(),
        frontier: frontier,
        wantsOutlines: wantsOutlines ? try await log.takesOutlines() : false
      )
      return
    }
    guard let action = ends[place].actions.popFirst() else { return }
    switch action {
    case .handOver: preconditionFailure("commits travel over a connection as bytes")
    case .send(let frame):
      if !ends[1 - place].isDeaf { ends[1 - place].wire.append(frame) }
    case .finish(let report):
      ends[place].report = report
      ends[place].isOver = true
    case .fail(let error):
      ends[place].error = error
      ends[place].isOver = true
    default: try await perform(action, place)
    }
    ends[place].session.checkInvariants()
  }

  private mutating func perform(_ action: SyncAction, _ place: Int) async throws {
    do {
      guard let event = try await ends[place].performer.perform(action) else { return }
      ends[place].actions += ends[place].session.handle(event)
    } catch let error as VarveError {
      let unsent = ends[place].actions.filter(\.isSending)
      ends[place].actions = ArraySlice(unsent + ends[place].session.fail(error))
    }
  }

  /// Hands the next frame to an end.
  mutating func arrive(_ place: Int) {
    let frame = ends[place].wire.removeFirst()
    ends[place].actions += ends[place].session.receive(frame)
  }
}
