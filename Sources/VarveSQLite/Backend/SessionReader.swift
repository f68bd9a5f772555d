import VarveCore

/// Reads one state through a session.
class SessionReader: BackendReader {
  let session: Session
  let moment: Moment
  /// Whether the moment may lie before a horizon, because only what is never folded is read.
  private let livesOnly: Bool
  private var isFresh = false
  /// Which cells count; nil for the present.
  private(set) var moments: MomentFilter?

  init(_ session: Session, at moment: Moment, livesOnly: Bool = false) {
    self.session = session
    self.moment = moment
    self.livesOnly = livesOnly
  }

  /// Runs one operation on the session's tables for the state being read.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    if !isFresh {
      if session.log.pending == nil {
        try session.refreshCatalogue()
        try session.requirePresent()
      }
      moments = try session.filter(at: moment, livesOnly: livesOnly)
    }
    isFresh = true
    return try body()
  }

  /// The tables of the past state, if they were made already.
  var past: PastTables? {
    guard moment != .now, let past = session.past, session.isReady(past, for: moment) else {
      return nil
    }
    return past
  }

  /// Makes the tables of a past state, which reads of types need.
  ///
  /// - Parameter query: what is read; nil for everything.
  func makeTables(for query: Query? = nil) throws {
    guard let moments else { return }
    guard let query, let needed = query.rowsFromFirst,
      let type = session.catalogue.typeNumbers[query.type],
      session.catalogue.layouts[type]?.isInOrder == true
    else { return try session.preparePast(moment, moments, whole: true) }
    try session.preparePast(moment, moments, whole: false)
    try session.cover(type, rows: needed)
    // Rows that are out of order can only be sorted together.
    if session.past?.order.disordered.contains(type) == true {
      try session.preparePast(moment, moments, whole: true)
    }
  }

  private var filter: HistoryFilter { moments?.history ?? .now }

  func pin() async throws { try reading {} }

  func entity(_ id: EntityID) async throws -> StoredEntity? {
    // The usual case by the shortest way: the session looks itself whether it is up to date.
    if moment == .now { return try session.entity(id) }
    return try reading { try pastEntity(id) }
  }

  func likenesses(_ likenings: [Likening]) async throws -> [Likeness] {
    guard moment == .now else {
      return try likenings.map { likening in
        guard let entity = try reading({ try pastEntity(likening.id) }) else { return .absent }
        return likening.matches(entity) ? .same(number: entity.number) : .other(entity)
      }
    }
    return try reading { try session.likenesses(likenings) }
  }

  private func pastEntity(_ id: EntityID) throws -> StoredEntity? {
    guard let moments else { return nil }
    guard let identity = try tabledIdentity(id) else {
      return try session.pastEntity(id, moments)
    }
    guard identity.isLive,
      let layout = identity.type.flatMap({ layout($0) }), let row = identity.row
    else { return nil }
    let source = source(layout, alias: "t")
    let reader = try rowReader(source)
    let statement = try session.connection.statement(
      """
      SELECT \(reader.columns.joined(separator: ", ")) FROM \(source.sql) AS t WHERE t.row = ?
      """
    )
    statement.bind(1, row)
    defer { statement.reset() }
    return try statement.step() ? try reader.entity(statement, id: id, row: row) : nil
  }

  /// How the rows of a type's table at the moment are read.
  func rowReader(_ source: TableSource) throws -> RowReader {
    guard isPatched(source.layout) || source.alias != "t" else {
      return try session.rowReader(source.layout)
    }
    return RowReader(source, shape: EntityShape(of: source.layout))
  }

  func identity(_ id: EntityID) throws -> Identity? {
    guard let moments else { return try session.identity(id) }
    return try tabledIdentity(id) ?? session.pastIdentity(id, moments)
  }

  /// Returns the identity at the moment if the tables of the past state are made and have it.
  private func tabledIdentity(_ id: EntityID) throws -> Identity? {
    guard let past else { return nil }
    return try session.examined(id) ?? (past.isWhole ? session.identity(id) : nil)
  }

  func status(of id: EntityID) async throws -> EntityStatus {
    try reading {
      guard let identity = try identity(id), identity.flags.contains(.known) else {
        return .unknown
      }
      if identity.flags.contains(.erased) { return .erased }
      if identity.flags.contains(.dead) { return .dead }
      guard let type = identity.type.flatMap({ session.catalogue.layouts[$0]?.type }) else {
        return .unknown
      }
      return .live(type)
    }
  }

  // MARK: Types

  func contentCells(of id: EntityID) async throws -> [Redaction] {
    try reading {
      try session.requireHistory(for: "forgetting an entity")
      return try session.contentCells(of: id)
    }
  }

  func types() async throws -> [(type: EntityType, count: Int)] {
    try reading {
      try session.catalogue.typeNumbers.keys.sorted()
        .map { (type: $0, count: try count(of: Query($0))) }
        .filter { $0.count > 0 }
    }
  }

  func idsInCreationOrder() async throws -> [EntityID] {
    try reading {
      try makeTables()
      let layouts = session.catalogue.typeNumbers.values.compactMap { layout($0) }
      return try CreationOrder(session).ids(
        in: layouts.map { (source($0, alias: "t").sql, isPatched: isPatched($0)) }
      )
    }
  }

  func labels() async throws -> [EntityType] {
    try reading { session.catalogue.typeNumbers.keys.sorted() }
  }

  func names(of type: EntityType) async throws -> [EntityName] {
    try reading {
      guard let compiler = try plan(Query(type))?.compiler else { return [] }
      let sql = try compiler.select(["t.id", "t.datestamp", "t.row"])
      let statement = try session.connection.query(sql, isShared: false)
      var names: [EntityName] = []
      while try statement.step() {
        let datestamp = HybridTime(rawValue: statement.int(1))
        names.append(
          EntityName(id: try statement.id(0), datestamp: datestamp, place: statement.int(2))
        )
      }
      return names
    }
  }

  func label(of id: EntityID) async throws -> EntityType? {
    try reading {
      try identity(id)?.type.flatMap { session.catalogue.layouts[$0]?.type }
    }
  }

  // MARK: Relations

  func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge] {
    try reading {
      let links = try standing(session.links(from: source, relation: relation)).filter {
        !$0.former.contains(.outOfRebirth)
      }
      return try session.edges(try session.inPositionOrder(links))
    }
  }

  func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge] {
    try reading {
      let links = try standing(session.links(to: target, kind: kind))
      return try session.edges(try session.inDeclarationOrder(links))
    }
  }

  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge? {
    try reading {
      let links = try session.links(from: source, relation: relation, to: target)
      return try session.edges(try session.inPositionOrder(standing(links))).first {
        !$0.isFromFormerLife
      }
    }
  }

  func pairedEdges(of id: EntityID, key: PropertyKey) async throws -> [PairedEdge] {
    try reading {
      guard let moments else { return try session.pairedEdges(of: id, key: key) }
      return try session.pairedEdges(of: id, key: key, moments)
    }
  }

  func pairedKeys() async throws -> [PropertyKey] {
    try reading {
      session.catalogue.pairForms.keys.compactMap { session.catalogue.keys[$0] }.sorted()
    }
  }

  func elements(of source: EntityID, key: PropertyKey) async throws -> [Element] {
    try reading { try elementsNow(of: source, key: key) }
  }

  func elementsNow(of source: EntityID, key: PropertyKey) throws -> [Element] {
    let links = try session.links(from: source, relation: Relation(.member, key))
    return try session.elements(standing(links))
  }

  /// The adds that count, marked with what re-creations made of them.
  private func standing(_ links: [Link]) throws -> [Link] {
    guard let moments else { return links.filter(\.isStandingOrGhost) }
    return try links.compactMap { link in
      let state = try session.state(of: link, moments)
      guard state.stands else { return nil }
      var link = link
      link.removed = nil
      link.former = state.former
      return link.isStandingOrGhost ? link : nil
    }
  }

  // MARK: History

  func isCollection(_ id: EntityID, _ key: PropertyKey) async throws -> Bool {
    try reading { try isList(id, key) }
  }

  func isList(_ id: EntityID, _ key: PropertyKey) throws -> Bool {
    guard let identity = try identity(id) else { return false }
    let isReborn = identity.flags.contains(.reborn)
    let rebirth = isReborn ? try session.reconstructLife(identity, filter).rebirth : nil
    // The greatest cell may be of a former life, and a lesser one of the present life.
    let limit = isReborn ? nil : 1
    let cells = try session.placedCells(of: identity, key: key, limit: limit, filter)
    guard let cell = cells.first(where: { $0.touch.isWritten(after: rebirth) }) else {
      return false
    }
    return if case .collection = cell.content { true } else { false }
  }

  func collections(of id: EntityID) async throws -> [PropertyKey] {
    let keys = try reading { () -> [PropertyKey] in
      if let moments, past?.isWhole != true { return try session.collections(of: id, moments) }
      guard let type = try identity(id)?.type else { return [] }
      // A to-many property is in the overflow column, and the catalogue records that for its key.
      let layouts = [past?.layouts[type], session.catalogue.layouts[type]].compactMap(\.self)
      return Set(layouts.flatMap { $0.columns.filter(\.isSpilled).map(\.key) }).sorted()
    }
    var collections: [PropertyKey] = []
    for key in keys where try await isCollection(id, key) { collections.append(key) }
    return collections
  }

  func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version] {
    try reading {
      try session.requireHistory(for: "the history of an entity")
      return try session.history(of: id, key: key, limit: limit, filter)
    }
  }

  func lives(of id: EntityID) async throws -> [Version] {
    try reading {
      try session.requireHistory(for: "the history of an entity")
      return try session.lives(of: id, filter)
    }
  }

  func cellCount(
    of id: EntityID,
    key: PropertyKey,
    writtenFrom time: HybridTime
  ) async throws -> Int? {
    try reading { try session.cellCount(of: id, key: key, writtenFrom: time) }
  }

  func memberHistory(of source: EntityID, key: PropertyKey?) async throws -> [Version] {
    try reading {
      try session.requireHistory(for: "the history of an entity")
      return try session.memberHistory(of: source, key: key, filter)
    }
  }

  func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime] {
    guard moment == .now else { return try await timesFromHistory(of: entity) }
    return try reading { try session.times(of: entity) }
  }

  func log(limit: Int?, offset: Int) async throws -> [CommitSummary] {
    try reading { try session.log(limit: limit, offset: offset, filter) }
  }

  func handover(of commit: CommitID) async throws -> String? {
    try reading { try session.log.number(of: commit).flatMap { try session.log.handover(of: $0) } }
  }

  func timeline(_ request: TimelineRequest) async throws -> Timeline {
    try reading { try session.timeline(request, moments) }
  }

  func commits(
    around span: ClosedRange<HybridTime>,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    try reading { try session.commits(around: span, of: subject, moments) }
  }

  func commits(
    around id: CommitID,
    of subject: Timeline.Subject
  ) async throws -> NeighboringCommits {
    try reading { try session.commits(around: id, of: subject, moments) }
  }

  func valueConflicts() async throws -> [Conflict] {
    try reading {
      try session.valueConflicts(filter) { try identity($0) }
    }
  }

  func unseenDeaths() async throws -> [Conflict] {
    guard moment == .now else { return [] }
    return try reading {
      try session.unseenDeaths()
    }
  }

  func frontier(of commit: CommitID) async throws -> Frontier {
    try reading {
      try session.log.frontier(of: commit)
    }
  }

  func tally(_ progress: @Sendable (TallyProgress) -> Void) async throws -> LogTally {
    try reading { try session.log.tally(filter, progress) }
  }
}

extension Link {
  /// Whether the add counts, for relations or, as a ghost's, for liveness.
  fileprivate var isStandingOrGhost: Bool {
    guard isStanding else { return false }
    if relation.kind == .owns { return !former.contains(.intoRebirth) }
    return !former.contains(.outOfRebirth)
  }
}
