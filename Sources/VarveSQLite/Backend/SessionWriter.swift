import VarveCore

/// Writes one commit through a session.
final class SessionWriter: SessionReader, BackendWriter {
  let pending: PendingCommit
  /// The error that occurred while tables were written. The commit can then not be completed.
  private(set) var failure: (any Error)?
  /// The savepoints of the open attempts, outermost first.
  private var attempts: [Savepoint] = []
  /// What the caller may not write; nil if nothing limits them.
  let admission: Admission?

  init(_ session: Session, _ pending: PendingCommit) {
    self.pending = pending
    admission = session.log.admission(of: LogCaller.current)
    super.init(session, at: .now)
  }

  var time: HybridTime { pending.info.summary.time }

  var wall: HybridTime { session.wall }

  var nextNumber: Int64? { session.log.state.nextRow }

  func past(_ time: HybridTime) async throws -> (any BackendReader)? {
    try recordingFailure {
      guard try session.log.holdsCells(after: time) else { return nil }
      if session.pastNotes == nil { session.pastNotes = PastNotes() }
      return SessionReader(session, at: .time(time))
    }
  }

  func beginAttempt() async throws {
    try recordingFailure { attempts.append(try Savepoint(session, pending)) }
  }

  func keepAttempt() async throws {
    try recordingFailure { try attempts.removeLast().release() }
  }

  func undoAttempt() async throws {
    failure = nil
    try recordingFailure { try attempts.removeLast().undo() }
  }

  func create(_ table: Creations) async throws -> [Int] {
    try recordingFailure {
      try admission?.require(table)
      session.pastNotes?.add(created: table.ids)
      return try session.create(
        table,
        block: {
          try session.log.sealIfFull()
          return pending.openBlock
        },
        isTogether: { pending.builder.holds($0, of: table) },
        info: pending.info,
        begin: { pending.builder.create(rows: $0, of: table) }
      )
    }
  }

  func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    time: HybridTime?
  ) async throws -> LifeChanges {
    try recordingFailure {
      try admission?.require(content, of: entity)
      return try write(WrittenCell(entity, content, at: time))
    }
  }

  func apply(together cells: [WrittenCell]) async throws -> LifeChanges {
    try recordingFailure {
      for cell in cells { try admission?.require(cell.content, of: cell.entity) }
      return try session.applyTogether { try cells.map(write) }
    }
  }

  func redact(_ redactions: [Redaction]) async throws -> Bool {
    try recordingFailure {
      try admission?.refuseForgetting()
      guard pending.seal == nil else { return try proposePurge(redactions) }
      try write(redactions)
      try session.noteScrub()
      return true
    }
  }

  func compact(
    upTo time: HybridTime,
    shrinking isShrinking: Bool
  ) async throws -> (cellCount: Int, isDone: Bool) {
    try recordingFailure { try admission?.refuseForgetting() }
    guard time < self.time else { throw Horizon.liesAhead(time) }
    guard pending.isEmpty else { throw Horizon.isNotAlone }
    try session.requireHistory(for: "folding")
    return try recordingFailure {
      guard pending.seal == nil else { return try proposeCompaction(upTo: time) }
      let horizon = try session.log.horizon(upTo: time)
      let count = try session.compact(upTo: time, write)
      guard count > 0 else { return (0, true) }
      pending.horizon = horizon
      try session.log.note(horizon, n: pending.n)
      if isShrinking { try session.noteScrub() }
      return (count, true)
    }
  }

  // MARK: Sealed spaces

  /// Proposes a purge to the home of the membership, which orders it. Returns whether that is here.
  private func proposePurge(_ redactions: [Redaction]) throws -> Bool {
    for redaction in redactions where try session.log.chainHolding(redaction.commit) == nil {
      throw redaction.isOfNothing
    }
    return try propose { $0.intent(ofPurging: redactions) }
  }

  /// Proposes a compaction. What it folds is decided when it is ordered.
  private func proposeCompaction(
    upTo time: HybridTime
  ) throws -> (cellCount: Int, isDone: Bool) {
    guard time.rawValue > 0 else { return (0, true) }
    let count = try session.compact(upTo: time) { _ in }
    guard count > 0 else { return (0, true) }
    return (count, try propose { $0.intent(ofCompactingUpTo: time) })
  }

  private func propose(
    _ letter: (any SpaceSealing) -> (id: [UInt8], content: [UInt8])
  ) throws -> Bool {
    guard let sealing = session.log.sealing, let view = session.log.view, view.mayPurge else {
      throw VarveError(
        .forbidden,
        "a purge or a compaction destroys values, and this device is no admin of the space",
        at: "space",
        remedy: "Let an admin of the space do it."
      )
    }
    guard view.hasRoomForPurges else {
      throw VarveError(
        .valueTooLarge,
        "the membership log has no room for further purges; the rest of it is kept for members",
        at: "space \(view.space)",
        remedy: "Seal a new space, and import into it what this one has."
      )
    }
    let letter = letter(sealing)
    try session.log.keep(.intent, id: letter.id, letter.content)
    pending.proposesPurge = true
    return try session.log.isMembershipHome()
  }

  private func write(_ redactions: [Redaction]) throws {
    for redaction in redactions.flatMap({ $0.split() }) {
      guard try session.log.chainHolding(redaction.commit) != nil else {
        throw redaction.isOfNothing
      }
      try session.log.sealIfFull()
      let block = pending.openBlock
      let place = pending.builder.add(redaction)
      try session.apply([redaction], block: block, first: place)
    }
  }

  private func write(_ cell: WrittenCell) throws -> LifeChanges {
    try session.log.sealIfFull()
    let block = pending.openBlock
    let ordinal = pending.builder.add(cell.content, entity: cell.entity, time: cell.time)
    let place = CellPlace(info: pending.info, block: block, ordinal: ordinal)
    session.pastNotes?.add(
      Cell(ordinal: ordinal, entity: cell.entity, time: cell.time, content: cell.content)
    )
    return try session.apply(cell.content, to: cell.entity, time: cell.time, at: place)
  }

  func recordingFailure<Result>(_ body: () throws -> Result) throws -> Result {
    if let failure { throw failure }
    do {
      try session.requireRunning()
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  func currentTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime? {
    guard let identity = try session.identity(entity) else { return nil }
    guard let key else {
      return try session.lifeCells(of: identity, .now).map(\.touch.time).max()
    }
    let rebirth = try session.rebirth(of: identity)
    var latest = try session.bornCells(of: identity, .now)
      .filter { $0.content.key == key && $0.touch.isWritten(after: rebirth) }
      .map(\.touch.time).max()
    if let row = identity.row, let number = session.catalogue.keyNumbers[key],
      let winner = try session.winner(row: row, key: number, since: rebirth, .now)
    {
      latest = max(latest ?? winner.time, winner.time)
    }
    return latest
  }

  /// Whether a cell may be as late as this commit, which is rare.
  var mayHoldLaterTimes: Bool {
    session.log.state.ownTime >= time || session.log.state.appliedTime >= time
  }

  var mayHavePairedEdges: Bool { !session.catalogue.pairForms.isEmpty }

  func laterTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime? {
    guard mayHoldLaterTimes, let current = try await currentTime(of: entity, key: key),
      current >= time
    else { return nil }
    return current
  }

  func rebirth(of entity: EntityID) async throws -> HybridTime? {
    guard let identity = try session.identity(entity), identity.flags.contains(.reborn) else {
      return nil
    }
    return try session.rebirth(of: identity)?.time
  }

  func hasFolded(_ key: PropertyKey, at time: HybridTime) async throws -> Bool {
    try session.log.hasFolded(key, at: time)
  }

  func relations(from source: EntityID, of kind: Relation.Kind) async throws -> [Relation] {
    Set(try session.links(from: source, kind: kind).map(\.relation)).sorted()
  }

  func adds(from source: EntityID, in relation: Relation) async throws -> [RecordedAdd] {
    let links = try session.links(from: source, relation: relation)
    return try session.inPositionOrder(links).map { try session.recorded($0) }
  }

  func register(
    of entity: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> (content: Cell.Content, time: HybridTime)? {
    guard let identity = try session.identity(entity) else { return nil }
    let rebirth = try session.rebirth(of: identity)
    let filter = HistoryFilter(cutoff: time)
    var greatest = try session.bornCells(of: identity, filter)
      .filter { $0.content.key == key && $0.touch.isWritten(after: rebirth) }
      .max { $0.touch.order < $1.touch.order }
    if let row = identity.row, let number = session.catalogue.keyNumbers[key],
      let touch = try session.winner(row: row, key: number, since: rebirth, filter),
      greatest.map({ $0.touch.order < touch.order }) ?? true
    {
      let content = try session.cell(touch, of: identity, key: key)
      greatest = PlacedCell(content: content, touch: touch)
    }
    return greatest.map { ($0.content, $0.touch.time) }
  }

  func elements(
    of source: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> [Element] {
    let links = try session.links(from: source, relation: Relation(.member, key))
    return try session.elements(try session.standing(links, at: time))
  }

  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID,
    at time: HybridTime
  ) async throws -> RelationEdge? {
    let links = try session.links(from: source, relation: relation, to: target)
    let standing = try session.standing(links, at: time)
    return try session.edges(try session.inPositionOrder(standing)).first
  }

  func times(from source: EntityID, in relation: Relation, to target: EntityID) async throws
    -> EdgeTimes
  {
    var times = EdgeTimes()
    for link in try session.links(from: source, relation: relation, to: target)
    where try link.pairKey == 0 && !session.isFromFormerLife(link) {
      times.adds.insert(link.time)
      // Most adds are in effect and have no removals.
      if link.removed != nil { times.removals.formUnion(try session.removalTimes(of: link)) }
    }
    return times
  }
}
