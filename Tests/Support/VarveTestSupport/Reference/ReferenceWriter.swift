package import VarveCore

/// Collects the cells of one commit. Reads fold the log together with the collected cells.
package class ReferenceWriter: ReferenceReader, BackendWriter {
  fileprivate let log: ReferenceLog
  private let draft: CommitDraft
  fileprivate let wallMilliseconds: Int64
  private var builder = BlockBuilder()
  private var sealed: [Block] = []
  private var horizon: Horizon?
  private var provisional: (commit: Commit, state: FoldedState)?
  /// The content at the beginning of each open attempt.
  private var attempts: [(builder: BlockBuilder, sealed: [Block], horizon: Horizon?)] = []

  required init(
    log: ReferenceLog,
    state: FoldedState,
    request: WriteRequest,
    wallMilliseconds: Int64
  ) {
    self.log = log
    self.wallMilliseconds = wallMilliseconds
    draft = log.draft(request, wallMilliseconds: wallMilliseconds)
    super.init(log: log, moment: .now, state: state, wallMilliseconds: wallMilliseconds)
  }

  package var time: HybridTime { draft.header.time }

  package var wall: HybridTime { get throws { try HybridTime(wallMilliseconds: wallMilliseconds) } }

  /// Returns the commit of the collected cells, or nil if there are none.
  func finish() -> Commit? {
    builder.isEmpty && sealed.isEmpty ? nil : commit()
  }

  private func commit() -> Commit {
    var rest = builder
    let blocks = sealed + (rest.isEmpty ? [] : Self.seal(&rest))
    return draft.commit(
      blocks,
      ordinalCount: builder.nextOrdinal,
      latestTime: builder.latestTime,
      kind: builder.hasRedacted ? .redactions : .ordinary,
      horizon: horizon
    )
  }

  private static func seal(_ builder: inout BlockBuilder) -> [Block] {
    builder.take().payloads().map { Block(sealing: $0) }
  }

  private func sealIfFull() {
    provisional = nil
    if builder.isFull { sealed += Self.seal(&builder) }
  }

  package func beginAttempt() async throws { attempts.append((builder, sealed, horizon)) }

  package func keepAttempt() async throws { attempts.removeLast() }

  package func undoAttempt() async throws {
    (builder, sealed, horizon) = attempts.removeLast()
    provisional = nil
  }

  /// Returns the deaths and revivals by a cell, as callers receive them.
  func reported(_ lives: LifeChanges) -> LifeChanges { lives }

  override var pending: Commit? { provisional?.commit }

  override func state() throws -> FoldedState {
    if let provisional { return provisional.state }
    guard !builder.isEmpty || !sealed.isEmpty else { return try super.state() }
    let commit = commit()
    var fold = log.fold
    try fold.insert(commit)
    let state = fold.state(at: .now, wallMilliseconds: wallMilliseconds)
    provisional = (commit, state)
    return state
  }
}

extension ReferenceWriter {
  package func create(_ table: Creations) async throws -> [Int] {
    try log.admission?.require(table)
    let state = try state()
    var named = Set(state.entities.keys)
    for edge in state.edges { named.insert(edge.target) }
    var passedOver: [Int] = []
    for row in table.ids.indices {
      if named.insert(table.ids[row]).inserted {
        add(row: row, of: table)
      } else {
        passedOver.append(row)
      }
    }
    return passedOver
  }

  /// Adds one row. Large values get cells of their own.
  private func add(row: Int, of table: Creations) {
    let width = table.columns.count
    var small = table
    var large: [Cell.Content] = []
    for (index, column) in table.columns.enumerated() {
      guard let value = table.values[row * width + index], BlockBuilder.isLarge(value) else {
        continue
      }
      small.values[row * width + index] = nil
      large.append(.value(column.key, value, semanticType: column.semanticType))
    }
    _ = builder.create(row: row, of: small)
    sealIfFull()
    for content in large {
      _ = builder.add(content, entity: table.ids[row], time: table.time)
      sealIfFull()
    }
  }

  package func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    time: HybridTime?
  ) async throws -> LifeChanges {
    try log.admission?.require(content, of: entity)
    if case .value(let key, let value, _) = content {
      try value.validate(at: "property \(key) of \(entity)")
    }
    guard content.changesLives else {
      _ = builder.add(content, entity: entity, time: time)
      sealIfFull()
      return .none
    }
    let before = try state()
    _ = builder.add(content, entity: entity, time: time)
    sealIfFull()
    return reported(LifeChanges(from: before, to: try state()))
  }

  package func redact(_ redactions: [Redaction]) async throws -> Bool {
    try log.admission?.refuseForgetting()
    for redaction in redactions.flatMap({ $0.split() }) {
      guard log[redaction.commit] != nil else { throw redaction.isOfNothing }
      _ = builder.add(redaction)
      sealIfFull()
    }
    return true
  }

  package func compact(
    upTo time: HybridTime,
    shrinking: Bool
  ) async throws -> (cellCount: Int, isDone: Bool) {
    try log.admission?.refuseForgetting()
    guard time < self.time else { throw Horizon.liesAhead(time) }
    guard builder.isEmpty, sealed.isEmpty else { throw Horizon.isNotAlone }
    let redactions = try log.supersededCells(upTo: time, wallMilliseconds)
    guard !redactions.isEmpty else { return (0, true) }
    _ = try await redact(redactions)
    horizon = log.horizon(upTo: time, wallMilliseconds)
    provisional = nil
    let count = redactions.reduce(0) { count, redaction in
      redaction.parts.reduce(count) { $0 + $1.ordinals.ranges.reduce(0) { $0 + $1.count } }
    }
    return (count, true)
  }

  package func past(_ time: HybridTime) async throws -> (any BackendReader)? {
    let isLater = log.fold.commits.values.contains { entry in
      log.fold.isDue(entry, wallMilliseconds)
        && entry.cells.contains { $0.time ?? entry.header.time > time }
    }
    if isLater { try log.fold.checkHorizons(.time(time), wallMilliseconds: wallMilliseconds) }
    return isLater ? try ReferencePast(self, at: time) : nil
  }

  /// Returns the state at a time, including the collected cells.
  fileprivate func state(at time: HybridTime) throws -> FoldedState {
    _ = try state()
    var fold = log.fold
    if let commit = pending { try fold.insert(commit) }
    return fold.state(at: .time(time), wallMilliseconds: wallMilliseconds)
  }

  package func currentTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime? {
    try state().entities[entity]?.cells(of: key).first?.order.time
  }

  package func rebirth(of entity: EntityID) async throws -> HybridTime? {
    try state().entities[entity]?.rebirth?.time
  }

  package func hasFolded(_ key: PropertyKey, at time: HybridTime) async throws -> Bool {
    for entry in log.fold.commits.values where log.fold.isDue(entry, wallMilliseconds) {
      guard let horizon = try entry.header.horizon, horizon.time >= time else { continue }
      let redacted = log.fold.redactedCells(wallMilliseconds: wallMilliseconds)
      return redacted.values.contains { $0.mentions(key) }
    }
    return false
  }

  package func relations(
    from source: EntityID,
    of kind: Relation.Kind
  ) async throws -> [Relation] {
    var fold = log.fold
    if let pending { try fold.insert(pending) }
    var relations: Set<Relation> = []
    for entry in fold.commits.values where fold.isDue(entry, wallMilliseconds) {
      for cell in entry.cells where cell.entity == source {
        guard case .add(let relation, _, _, _) = cell.content, relation.kind == kind else {
          continue
        }
        relations.insert(relation)
      }
    }
    return relations.sorted()
  }

  package func adds(from source: EntityID, in relation: Relation) async throws -> [RecordedAdd] {
    let present = try state()
    var fold = log.fold
    if let pending { try fold.insert(pending) }
    let redacted = fold.redactedCells(wallMilliseconds: wallMilliseconds)
    var adds: [(add: RecordedAdd, order: CellOrder)] = []
    var removals: [AddID: [RecordedAdd.Removal]] = [:]
    for (id, entry) in fold.commits where fold.isDue(entry, wallMilliseconds) {
      let summary = CommitSummary(entry.header, id: id)
      for cell in entry.cells where cell.entity == source {
        guard redacted[id].map({ !$0.names(cell) }) ?? true else { continue }
        switch cell.content {
        case .add(relation, let target, let position, let pairing):
          let order = CellOrder(
            time: cell.time ?? entry.header.time,
            commit: entry.order(hash: id.hash),
            ordinal: cell.ordinal
          )
          let isFormer = (relation.kind == .owns ? [source, target] : [source]).contains { end in
            present.entities[end]?.rebirth?.isWritten(after: order) ?? false
          }
          let add = RecordedAdd(
            target: target,
            position: position ?? ListPosition(stamp: entry.header.time, ordinal: cell.ordinal),
            add: AddID(commit: id, ordinal: cell.ordinal),
            time: order.time,
            commit: summary,
            removals: [],
            isFromFormerLife: isFormer,
            isPaired: pairing != nil
          )
          adds.append((add, order))
        case .remove(relation, _, let named):
          let removal = RecordedAdd.Removal(by: summary, at: cell.time ?? entry.header.time)
          for add in named {
            removals[AddID(commit: add.commit ?? id, ordinal: add.ordinal), default: []]
              .append(removal)
          }
        default: break
        }
      }
    }
    adds.sort { left, right in
      left.add.position == right.add.position
        ? right.order.isWritten(after: left.order) : left.add.position < right.add.position
    }
    return adds.map { add, _ in
      var add = add
      add.removals = removals[add.add] ?? []
      if add.add.commit == pending?.id { add.add.commit = nil }
      return add
    }
  }

  package func times(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> EdgeTimes {
    let adds = try await adds(from: source, in: relation)
      .filter { $0.target == target && !$0.isPaired && !$0.isFromFormerLife }
    let names = Set(
      adds.map { AddID(commit: $0.add.commit ?? pending?.id, ordinal: $0.add.ordinal) }
    )
    var fold = log.fold
    if let pending { try fold.insert(pending) }
    var times = EdgeTimes()
    for (id, entry) in fold.commits where fold.isDue(entry, wallMilliseconds) {
      for cell in entry.cells where cell.entity == source {
        let time = cell.time ?? entry.header.time
        switch cell.content {
        case .add where names.contains(AddID(commit: id, ordinal: cell.ordinal)):
          times.adds.insert(time)
        case .remove(_, _, let named)
        where named.contains { names.contains(AddID(commit: $0.commit ?? id, ordinal: $0.ordinal)) }:
          times.removals.insert(time)
        default: break
        }
      }
    }
    return times
  }

  package func register(
    of entity: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> (content: Cell.Content, time: HybridTime)? {
    try state().entities[entity]?.cells(of: key).first { $0.order.time <= time }
      .map { ($0.content, $0.order.time) }
  }

  package func elements(
    of source: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> [Element] {
    try standing(from: source, in: Relation(.member, key), at: time).map(element)
  }

  package func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID,
    at time: HybridTime
  ) async throws -> RelationEdge? {
    let edges = try standing(from: source, in: relation, at: time).filter { $0.target == target }
    return FoldedState.grouped(edges).first.map(relativeToPending)
  }

  /// Returns the adds that count at a time, out of those that belong to the present lives of their
  /// ends.
  private func standing(
    from source: EntityID,
    in relation: Relation,
    at time: HybridTime
  ) throws -> [FoldedState.Edge] {
    let present = try state()
    return try state(at: time).edges.filter { edge in
      guard edge.source == source, edge.relation == relation else { return false }
      let ends = relation.kind == .owns ? [source, edge.target] : [source]
      return ends.allSatisfy { end in
        present.entities[end]?.rebirth.map(edge.order.isWritten(after:)) ?? true
      }
    }
  }
}

/// Reads the log and the cells that a writer collected, at a time.
private final class ReferencePast: ReferenceReader {
  private let writer: ReferenceWriter
  private let time: HybridTime

  init(_ writer: ReferenceWriter, at time: HybridTime) throws {
    self.writer = writer
    self.time = time
    super.init(
      log: writer.log,
      moment: .time(time),
      state: try writer.state(at: time),
      wallMilliseconds: writer.wallMilliseconds
    )
  }

  override var pending: Commit? { writer.pending }
  override func state() throws -> FoldedState { try writer.state(at: time) }
}

extension Cell.Content {
  /// Whether the cell may change liveness.
  fileprivate var changesLives: Bool {
    switch self {
    case .life: true
    case .add(let relation, _, _, _), .remove(let relation, _, _): relation.kind == .owns
    case .value, .removal, .collection: false
    }
  }
}

extension LifeChanges {
  /// Creates the deaths and revivals between two states, in order of identifier.
  package init(from before: FoldedState, to after: FoldedState) {
    self.init()
    for (id, entity) in before.entities where entity.type != nil {
      switch (before.isLive(id), after.isLive(id)) {
      case (true, false): died.append(id)
      case (false, true): revived.append(id)
      default: break
      }
    }
    died.sort()
    revived.sort()
  }
}
