package import VarveCore

extension Operation {
  /// Performs the operation as far as the rules for local writes allow; otherwise does nothing.
  package func apply(to writer: any BackendWriter) async throws {
    switch self {
    case .create(let creation): try await creation.apply(to: writer)
    case .set(let id, let assignment, let time):
      try await writer.write(assignment.content, to: id, time: time)
    case .unset(let id, let key, let time):
      try await writer.write(.removal(key), to: id, time: time)
    case .clear(let id, let key):
      try await writer.write(.collection(key), to: id, time: nil)
      for edge in try await writer.edges(from: id, in: Relation(.member, key)) {
        try await writer.remove(edge)
      }
    case .relate(let source, let relation, let target, let position):
      guard try await writer.isLive(source) else { return }
      switch try await writer.status(of: target) {
      case .erased, .dead: return
      case .live, .unknown: break
      }
      let content = Cell.Content.add(relation, target: target, position: position)
      try await writer.keepAlive(writer.apply(content, to: source, time: nil).died)
    case .refer(let id, let relation, let pairing, let other, let time):
      try await writer.refer(id, relation, pairing, to: other, time: time)
    case .unrelate(let source, let relation, let target):
      guard try await writer.isLive(source) else { return }
      for edge in try await writer.edges(from: source, in: relation) where edge.target == target {
        try await writer.remove(edge)
      }
    case .erase(let id):
      guard try await writer.isLive(id) else { return }
      try await writer.live(.erased, for: id)
    case .restore(let id):
      switch try await writer.status(of: id) {
      case .live, .unknown: return
      case .erased, .dead: break
      }
      try await writer.live(.restored, for: id)
      try await writer.root(id)
    case .compact(let time):
      if time < writer.time { _ = try await writer.compact(upTo: time, shrinking: false) }
    case .purge(let id):
      let redactions = try await writer.contentCells(of: id)
      if try await writer.isLive(id) { try await writer.live(.erased, for: id) }
      if !redactions.isEmpty { try await writer.redact(redactions) }
    }
  }
}

extension Creation {
  fileprivate func apply(to writer: any BackendWriter) async throws {
    switch try await writer.status(of: id) {
    case .live: return
    case .erased, .dead:
      try await writer.live(.recreated(type, datestamp: datestamp ?? time), for: id)
    case .unknown:
      if datestamp == nil, try await writer.create(table).isEmpty { return }
      let life = Life.created(type, datestamp: datestamp)
      _ = try await writer.apply(.life(life), to: id, time: time)
      try await writer.root(id)
    }
    for assignment in values {
      try await writer.write(assignment.content, to: id, time: time)
    }
  }

  private var table: Creations {
    let columns = values.map { Creations.Column(key: $0.key, semanticType: $0.semanticType) }
    var table = Creations(type: type, columns: columns, time: time)
    table.ids = [id]
    table.ordinals = [0]
    table.values = PackedValues(values.map(\.value))
    return table
  }
}

extension BackendWriter {
  fileprivate func isLive(_ id: EntityID) async throws -> Bool {
    if case .live = try await status(of: id) { true } else { false }
  }

  /// Writes a property cell of a live entity, unless the history has an equal cell at that time
  /// (R4).
  fileprivate func write(
    _ content: Cell.Content,
    to id: EntityID,
    time: HybridTime?
  ) async throws {
    guard try await isLive(id) else { return }
    if let time {
      guard try await !says(content, of: id, at: time) else { return }
      _ = try await apply(content, to: id, time: time)
    } else {
      let current = try await currentTime(of: id, key: content.key)
      _ = try await apply(content, to: id, time: above(current))
    }
  }

  /// Writes a reference of a live entity and the edge that is paired with it.
  fileprivate func refer(
    _ id: EntityID,
    _ relation: Relation,
    _ pairing: Pairing,
    to other: EntityID?,
    time: HybridTime?
  ) async throws {
    guard try await isLive(id) else { return }
    var time = time
    if time == nil { time = above(try await currentTime(of: id, key: pairing.key)) }
    let value = other.map { Assignment(pairing.key, .reference($0)).content }
    _ = try await apply(value ?? .removal(pairing.key), to: id, time: time)
    let isSource = pairing.end == .source
    let add = Cell.Content.add(
      relation,
      target: isSource ? other ?? id : id,
      position: nil,
      pairing: Pairing(pairing.key, at: pairing.end, isVoid: other == nil)
    )
    try await keepAlive(apply(add, to: isSource ? id : other ?? id, time: time).died)
  }

  /// Writes a life cell that becomes the current one.
  fileprivate func live(_ life: Life, for id: EntityID) async throws {
    let current = try await currentTime(of: id, key: nil)
    _ = try await apply(.life(life), to: id, time: above(current))
  }

  /// Returns a time for a cell that must be above another, or nil if the commit's time suffices.
  private func above(_ current: HybridTime?) -> HybridTime? {
    guard let current, current > time else { return nil }
    return current.successor
  }

  fileprivate func remove(_ edge: RelationEdge) async throws {
    let removal = Cell.Content.remove(edge.relation, target: edge.target, adds: edge.adds)
    try await keepAlive(apply(removal, to: edge.source, time: nil).died)
  }

  /// Removes the edges from dead owners to entities that died by a cell that erases nothing (R16):
  /// an owner gave one up, or came to be owned by an entity that it alone kept alive.
  fileprivate func keepAlive(_ doomed: [EntityID]) async throws {
    for id in doomed {
      for edge in try await edges(to: id, of: .owns)
      where edge.isFromFormerLife || !doomed.contains(edge.source) {
        let removal = Cell.Content.remove(edge.relation, target: id, adds: edge.adds)
        _ = try await apply(removal, to: edge.source, time: nil)
      }
    }
  }

  /// Removes the ownerships of an entity that is dead because of its owners.
  fileprivate func root(_ id: EntityID) async throws {
    guard try await !isLive(id) else { return }
    for edge in try await edges(to: id, of: .owns) {
      let removal = Cell.Content.remove(edge.relation, target: id, adds: edge.adds)
      _ = try await apply(removal, to: edge.source, time: nil)
    }
  }
}
