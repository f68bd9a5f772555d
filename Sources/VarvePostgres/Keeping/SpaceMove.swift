package import VarveCore

/// Moves a space from one home to another while it is used.
package struct SpaceMove {
  /// Ends the source: keeps other writers out, passes the head to a closure, and then removes the
  /// space unless the closure throws.
  package typealias Ending = (_ finish: (HomeHead) async throws -> Void) async throws -> Void

  private let source: any LogHome
  private let target: any LogHome
  /// The positions up to which both have the same arrivals.
  private var done: (source: HomePosition, target: HomePosition)
  /// Whether commits with redactions were copied, which change earlier ones.
  private var hasRedactions = false

  /// The approximate size of what is held in memory, and committed at once, in bytes.
  private static let byteCount = 4 << 20
  /// How often what was written meanwhile is copied before other writers are kept out.
  private static let roundCount = 4

  /// Begins a move, or goes on with one that was interrupted: the target has the first arrivals of
  /// the source, or none.
  private init(_ source: any LogHome, _ target: any LogHome) async throws {
    self.source = source
    self.target = target
    let (first, second) = (try await source.head(), try await target.head())
    try Self.require(second, like: first, target.space)
    let (start, reached) = (first.position, second.position)
    // Each space has a random incarnation of its own, so one of both is one space.
    guard start.incarnation != reached.incarnation else {
      throw VarveError(
        .invalidArgument,
        "the space is there already: both addresses are of one database",
        at: "space \(source.space)",
        remedy: "Nothing was moved. Name another database."
      )
    }
    let known = reached.of(incarnation: start.incarnation)
    done = (known, reached)
    guard reached.number > 0 else { return }
    hasRedactions = true
    struct Found: Error {}
    do {
      if try await source.arrivals(after: known, { _ in throw Found() }) != nil { return }
    } catch is Found {
      return
    }
    throw VarveError(
      .invalidArgument,
      "the space to move to has a log of its own",
      at: "space \(target.space)",
      remedy: "Move to a new space, or end that one first."
    )
  }

  /// Throws unless both are open spaces, or both are relays of sealed ones.
  private static func require(
    _ target: HomeHead,
    like source: HomeHead,
    _ space: SpaceID
  ) throws {
    guard target.format != source.format else { return }
    throw VarveError(
      .invalidArgument,
      "the space to move to has format \(target.format), and the source \(source.format)",
      at: "space \(space)",
      remedy: "End the space at the new home, and move again."
    )
  }

  /// Copies all arrivals of a space, in their order, and ends the source.
  ///
  /// Writers go on meanwhile, but for the last of it, which is what they wrote during the round
  /// before. So the move ends however fast they are.
  ///
  /// - Parameter end: ends the source.
  /// - Throws: `VarveError`: `invalidArgument` if the target has arrivals that the source has not, or is
  ///   the source; `busy` if someone writes at the target meanwhile. The source is as it was then.
  package static func run(
    from source: any LogHome,
    to target: any LogHome,
    ending end: Ending
  ) async throws {
    var move = try await SpaceMove(source, target)
    for _ in 0..<roundCount {
      let goal = try await source.head().position.number
      guard move.done.source.number < goal else { break }
      try await move.copy(upTo: goal)
    }
    if move.hasRedactions { try await move.scrub() }
    try await end { head in
      try await move.copy(upTo: head.position.number)
      if move.hasRedactions { try await move.scrub() }
    }
  }

  private mutating func copy(upTo goal: Int64) async throws {
    while done.source.number < goal { try await copySome() }
  }

  /// Replaces what redactions changed in commits that were copied before.
  private mutating func scrub() async throws {
    var changes = HomeChanges()
    var commit: Commit?
    func keep() {
      guard let redacted = commit, redacted.blocks.contains(where: \.isRedacted) else { return }
      changes.replaced.append(redacted)
    }
    _ = try await source.arrivals(after: nil) { part in
      switch part {
      case .arrival:
        keep()
        commit = nil
      case .part(.header(let header)): commit = Commit(header: header, blocks: [])
      case .part(.block(let block)): commit = commit.map { $0.with($0.blocks + [block]) }
      case .record: break
      }
    }
    keep()
    try await self.commit(changes, [])
    hasRedactions = false
  }

  /// Copies the next arrivals.
  private mutating func copySome() async throws {
    struct Enough: Error {}
    var parts: [HomePart] = []
    var (bytes, whole) = (0, 0)
    var isKnown = true
    do {
      isKnown =
        try await source.arrivals(after: done.source) { part in
          if case .arrival = part {
            whole = parts.count
            if bytes >= Self.byteCount { throw Enough() }
          }
          if case .part(.block(let block)) = part { bytes += block.stored.count }
          if case .record(let record) = part { bytes += record.count }
          parts.append(part)
        } != nil
      whole = parts.count
    } catch is Enough {}
    guard isKnown, whole > 0 else {
      throw VarveError(
        .inputOutput,
        "the space was reset to an earlier state during the move",
        at: "space \(source.space)",
        remedy: "End the space at the new home, and move again."
      )
    }
    let copied = Array(parts[..<whole])
    for part in copied {
      switch part {
      case .part(.header(let header)) where header.kind == .redactions: hasRedactions = true
      // An entry of a sealed space may be a purge.
      case .record: hasRedactions = true
      default: break
      }
    }
    var changes = HomeChanges()
    changes.replica = try await source.head().replica
    try await commit(changes, copied)
    for case .arrival(let arrival) in copied { done.source.advance(past: arrival) }
  }

  /// Commits at the target, where nobody else writes.
  private mutating func commit(_ changes: HomeChanges, _ parts: [HomePart]) async throws {
    var rest = parts[...]
    let place = done.target
    done.target = try await target.exclusively(patienceMilliseconds: 60_000) { turn in
      guard turn.head.position == place else {
        throw VarveError(
          .busy,
          "someone writes to the space at its new home, before it has moved",
          at: "space \(target.space)",
          remedy: "Stop them, end the space there, and move again."
        )
      }
      return try await turn.commit(changes) { rest.popFirst() }
    }.position
  }
}
