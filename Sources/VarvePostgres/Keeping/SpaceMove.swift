package import VarveCore

/// Moves a space from one home to another while it is used.
package struct SpaceMove {
  private let source: any LogHome
  private let target: any LogHome
  /// The positions up to which both have the same arrivals.
  private var done: (source: HomePosition?, target: HomePosition)
  /// Whether commits with redactions were copied, which change earlier ones.
  private var hasRedactions = false

  /// The approximate size of what is held in memory, and committed at once, in bytes.
  private static let byteCount = 4 << 20

  private init(_ source: any LogHome, _ target: any LogHome) async throws {
    self.source = source
    self.target = target
    done = (nil, try await target.head().position)
  }

  /// Copies all arrivals of a space to one that is empty, in their order, and ends the source.
  ///
  /// - Parameter end: ends the source if it is still at a position; returns whether it was.
  /// - Throws: ``VarveError``: `invalidArgument` if the target has arrivals already.
  package static func run(
    from source: any LogHome,
    to target: any LogHome,
    end: (HomePosition) async throws -> Bool
  ) async throws {
    var move = try await SpaceMove(source, target)
    guard move.done.target.number == 0 else {
      throw VarveError(
        .invalidArgument,
        "the space to move to has a log already",
        remedy: "Move to a new space."
      )
    }
    while true {
      while try await move.copySome() {}
      if move.hasRedactions { try await move.scrub() }
      let empty = HomePosition(incarnation: try await source.head().position.incarnation)
      if try await end(move.done.source ?? empty) { return }
    }
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
      }
    }
    keep()
    let all = changes
    let raised = try await target.exclusively(patienceMilliseconds: 60_000) { turn in
      try await turn.commit(all) { nil }
    }
    done.target = raised.position
    hasRedactions = false
  }

  /// Copies the next arrivals. Returns whether there were any.
  private mutating func copySome() async throws -> Bool {
    struct Enough: Error {}
    var parts: [HomePart] = []
    var (bytes, whole) = (0, 0)
    var head: HomeHead?
    do {
      head = try await source.arrivals(after: done.source) { part in
        if case .arrival = part {
          whole = parts.count
          if bytes >= Self.byteCount { throw Enough() }
        }
        if case .part(.block(let block)) = part { bytes += block.stored.count }
        parts.append(part)
      }
      whole = parts.count
    } catch is Enough {}
    guard whole > 0 else {
      guard head != nil || !parts.isEmpty else {
        throw VarveError(.inputOutput, "the space was reset to an earlier state during the move")
      }
      return false
    }
    let copied = Array(parts[..<whole])
    for case .part(.header(let header)) in copied where header.kind == .redactions {
      hasRedactions = true
    }
    var changes = HomeChanges()
    changes.replica = try await source.head().replica
    var rest = copied[...]
    let raised = try await target.exclusively(patienceMilliseconds: 60_000) { turn in
      try await turn.commit(changes) { rest.popFirst() }
    }
    let incarnation = try await source.head().position.incarnation
    var from = done.source ?? HomePosition(incarnation: incarnation)
    for case .arrival(let arrival) in copied { from.advance(past: arrival) }
    done = (from, raised.position)
    return true
  }
}
