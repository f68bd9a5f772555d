/// One state of a log, being read. Valid inside the body it was given to.
package protocol BackendReader: AnyObject {
  /// Takes the state now. Without it a reader may take it at its first read, which is soon enough
  /// for one that reads at once.
  func pin() async throws

  /// A live entity, or nil.
  func entity(_ id: EntityID) async throws -> StoredEntity?

  /// Whether live entities are as given, without making more of them than it takes.
  func likenesses(_ likenings: [Likening]) async throws -> [Likeness]

  /// What is known of an identifier.
  func status(of id: EntityID) async throws -> EntityStatus

  /// The entities a query asks for, all at once.
  func fetch(_ query: Query) async throws -> [StoredEntity]

  /// The same in pages: calls the body with at most `pageSize` entities at a time until it
  /// answers false.
  func fetch(
    _ query: Query,
    pageSize: Int,
    _ body: ([StoredEntity]) async throws -> Bool
  ) async throws

  /// How many entities a query would fetch.
  func count(_ query: Query) async throws -> Int

  /// The table of each type that SQL can name; nil where it can name them otherwise, or not at all.
  func tables() async throws -> [EntityType: String]?

  /// What some fields, of joined types too, say of each row of a query.
  func values(of fields: [Field], in query: Query) async throws -> [[Value?]]

  /// The rows of a query as a model reads them. The body advances the cursor itself, as far as it
  /// wants, and may wait in between.
  func rows<Result>(
    _ query: Query,
    _ shape: RowShape,
    _ body: (any RowCursor) async throws -> Result
  ) async throws -> Result

  /// A live entity of one of some types as a model reads it; nil, and the body is not run, where
  /// there is none.
  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result?

  /// What aggregations make of the rows of a query, group by group, in order of the keys.
  func aggregate(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow]

  /// The query as plain SQL.
  func sql(_ query: Query) async throws -> SQLText

  /// How the backend runs a query, in its own words.
  func explain(_ query: Query) async throws -> String

  /// Whether a property of a type has an index, or is to have one.
  func isIndexed(_ key: PropertyKey, of type: EntityType) async throws -> Bool

  /// Whether full-text search looks at these properties of a type, or shall.
  func isSearched(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool

  /// The types of live entities and how many there are, in byte order.
  func types() async throws -> [(type: EntityType, count: Int)]

  /// The identifiers of live entities of all types, in creation order (R5).
  func idsInCreationOrder() async throws -> [EntityID]

  /// Every type that may have live entities, in byte order; some may have none.
  func labels() async throws -> [EntityType]

  /// The live entities of a type, in creation order.
  func names(of type: EntityType) async throws -> [EntityName]

  /// The type an entity has, or had when it last lived; nil where none is known.
  func label(of id: EntityID) async throws -> EntityType?

  /// Edges from an entity: of one relation or of all, in order of relation, then of position.
  /// A target stands once per relation, at its first place. Dead and unknown targets included;
  /// edges of a former life are not.
  func edges(from source: EntityID, in relation: Relation?) async throws -> [RelationEdge]

  /// The edge of one relation between two entities, if it stands. One of the source's former life
  /// does not count.
  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge?

  /// Edges to an entity of one kind, in the order they were declared. Dead and unknown sources
  /// included; those of a source's former life too, marked so and apart from those of its present
  /// one, because a restore has to know of them.
  func edges(to target: EntityID, of kind: Relation.Kind) async throws -> [RelationEdge]

  /// The edges that are one fact with a property of an entity's present life: of each register the
  /// greatest, in order of end, then of relation (R28). One look where no property of the key is
  /// paired with anything in this store.
  func pairedEdges(of id: EntityID, key: PropertyKey) async throws -> [PairedEdge]

  /// The keys whose properties may be paired with edges, in order.
  func pairedKeys() async throws -> [PropertyKey]

  /// The elements of a to-many property, in order of position, then of adds. A target stands as
  /// often as it was added. Dead and unknown ones included, whether or not the property is set;
  /// those of a former life of the source are not.
  func elements(of source: EntityID, key: PropertyKey) async throws -> [Element]

  /// Whether a property of a live entity is a to-many one.
  func isCollection(_ id: EntityID, _ key: PropertyKey) async throws -> Bool

  /// The to-many properties of a live entity, those without elements too, in byte order.
  func collections(of id: EntityID) async throws -> [PropertyKey]

  /// The cells of an entity, or of one property of it, greatest first; at most `limit`.
  func history(of id: EntityID, key: PropertyKey?, limit: Int?) async throws -> [Version]

  /// What was added to and removed from the to-many properties of an entity, or from one of them:
  /// the cells, greatest first. Those of a former life of it too.
  func memberHistory(of source: EntityID, key: PropertyKey?) async throws -> [Version]

  /// The places of all that properties of an entity ever said, elements of relations included, in
  /// commits that are complete: what forgetting it takes.
  func contentCells(of id: EntityID) async throws -> [Redaction]

  /// When each property of an entity that was read here got the value it has.
  func times(of entity: StoredEntity) async throws -> [PropertyKey: HybridTime]

  /// The log, newest arrival first; at most `limit`, after the first `offset`.
  func log(limit: Int?, offset: Int) async throws -> [CommitSummary]

  /// The properties of live entities that replicas wrote apart, in order of entity and key.
  func valueConflicts() async throws -> [Conflict]

  /// The entities that are dead now and died unseen, in order of identifier; none in a past state.
  func unseenDeaths() async throws -> [Conflict]

  /// Everything the author of a commit had seen when it was made, the commit included.
  func frontier(of commit: CommitID) async throws -> Frontier

  /// How much the log holds.
  func tally(_ progress: @Sendable (TallyProgress) -> Void) async throws -> LogTally
}

/// An entity without its properties.
package struct EntityName: Sendable {
  package var id: EntityID
  package var datestamp: HybridTime
  /// Rises with creations in one commit, across types.
  package var place: Int64

  package init(id: EntityID, datestamp: HybridTime, place: Int64) {
    self.id = id
    self.datestamp = datestamp
    self.place = place
  }
}

extension BackendReader {
  package func pin() async throws {}

  package func labels() async throws -> [EntityType] { try await types().map(\.type) }

  package func names(of type: EntityType) async throws -> [EntityName] {
    try await fetch(Query(type)).enumerated().map {
      EntityName(id: $1.id, datestamp: $1.datestamp, place: Int64($0))
    }
  }

  package func label(of id: EntityID) async throws -> EntityType? {
    if case .live(let type) = try await status(of: id) { return type }
    let life = try await history(of: id, key: nil, limit: nil).lazy.compactMap { version in
      switch version.content {
      case .life(.created(let type, _)), .life(.recreated(let type, _)): type
      default: nil as EntityType?
      }
    }
    return life.first
  }

  package func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID
  ) async throws -> RelationEdge? {
    try await edges(to: target, of: relation.kind).first {
      $0.source == source && $0.relation == relation && !$0.isFromFormerLife
    }
  }
}

/// A commit being written. Reads see what was applied.
package protocol BackendWriter: BackendReader {
  /// The stamp the commit will carry.
  var time: HybridTime { get }

  /// Creates the rows of a table whose identifiers are new; returns the indices of the others, for
  /// which it does nothing. One of which no cell says anything, but a relation names it, may count
  /// as new or not. The table's ordinals are ignored.
  func create(_ table: Creations) async throws -> [Int]

  /// Applies one cell, and says who died and who came back to life by it.
  func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    time: HybridTime?
  ) async throws -> LifeChanges

  /// Applies cells one after another, and says who died and who came back by all of them together.
  /// Who lives in between is nobody's business, so it is worked out once.
  func apply(together cells: [WrittenCell]) async throws -> LifeChanges

  /// The time of the current cell of a property (nil key: of the entity's life), or nil.
  func currentTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime?

  /// Whether some cell may be as late as the commit's own time: else no current time need be asked
  /// for.
  var mayHoldLaterTimes: Bool { get }

  /// The same, or nil where it lies before the commit's own time: what a cell written without a
  /// time must exceed. Costs nothing where no cell carries a time that late.
  func laterTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime?

  /// The state at a time, to be read while the commit is written; nil where nothing that counts is
  /// later: that state is the present one. Of entities that differ since, it is the state before
  /// the commit, of others it has what the commit wrote.
  func past(_ time: HybridTime) async throws -> (any BackendReader)?

  /// Writes that cells of earlier commits are to be forgotten, and forgets them here. They are gone
  /// from every state, past ones included, and from what this log hands out.
  func redact(_ redactions: [Redaction]) async throws

  /// Folds history: names what properties said up to a time and what no moment from then on needs,
  /// and forgets it here. Nothing is written where there is nothing of that kind.
  ///
  /// - Parameters:
  ///   - time: the horizon, before the commit's own time.
  ///   - isShrinking: whether the room is given back to the file system.
  /// - Returns: how many cells were folded.
  func compact(upTo time: HybridTime, shrinking isShrinking: Bool) async throws -> Int

  /// A number above those of all entities there are; those to come get it and higher ones. Nil where
  /// the backend gives none.
  var nextNumber: Int64? { get }

  /// All adds of a relation out of an entity, removed ones too, in order of position, then of adds.
  func adds(from source: EntityID, in relation: Relation) async throws -> [RecordedAdd]

  /// What a property says at a time: the greatest cell of the present life that is not later, and
  /// since when; nil where there is none. What a former life said is history only.
  func register(
    of entity: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> (content: Cell.Content, time: HybridTime)?

  /// The elements a to-many property holds at a time, of those added in the present life.
  func elements(of source: EntityID, key: PropertyKey, at time: HybridTime) async throws
    -> [Element]

  /// The edge of a relation to a target as it stands at a time, of adds of the present life.
  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID,
    at time: HybridTime
  ) async throws -> RelationEdge?

  /// When a relation, or an element of a to-many property, was declared and taken back.
  func times(from source: EntityID, in relation: Relation, to target: EntityID) async throws
    -> EdgeTimes
}

extension BackendWriter {
  /// Whether a property says something at exactly a time already, so that it need not be written
  /// again (R4).
  package func says(
    _ content: Cell.Content,
    of entity: EntityID,
    at time: HybridTime
  ) async throws -> Bool {
    guard let key = content.key,
      let register = try await register(of: entity, key: key, at: time)
    else { return false }
    return register.time == time && register.content == content
  }
}

/// A cell to be written: of whom, what, and since when if not since its commit.
package struct WrittenCell: Sendable {
  package var entity: EntityID
  package var content: Cell.Content
  package var time: HybridTime?

  package init(_ entity: EntityID, _ content: Cell.Content, at time: HybridTime? = nil) {
    self.entity = entity
    self.content = content
    self.time = time
  }
}

extension BackendWriter {
  package var nextNumber: Int64? { nil }

  package func apply(together cells: [WrittenCell]) async throws -> LifeChanges {
    var changes: [LifeChanges] = []
    for cell in cells {
      changes.append(try await apply(cell.content, to: cell.entity, time: cell.time))
    }
    return LifeChanges(net: changes)
  }

  package var mayHoldLaterTimes: Bool { true }

  package func laterTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime? {
    guard let current = try await currentTime(of: entity, key: key), current >= time else {
      return nil
    }
    return current
  }
}

/// Who died and who came back.
package struct LifeChanges: Sendable, Hashable {
  package var died: [EntityID] = []
  package var revived: [EntityID] = []

  package init() {}

  /// Nobody.
  package static let none = LifeChanges()

  /// What several changes, one after another, come to: who died and came back did neither.
  ///
  /// - Complexity: O(all).
  package init(net changes: [LifeChanges]) {
    var fates: [EntityID: (first: Bool, last: Bool)] = [:]
    var order: [EntityID] = []
    for change in changes {
      for (ids, isDeath) in [(change.died, true), (change.revived, false)] {
        for id in ids {
          if fates[id] == nil { order.append(id) }
          fates[id] = (fates[id]?.first ?? isDeath, isDeath)
        }
      }
    }
    for id in order {
      switch fates[id] {
      case (true, true)?: died.append(id)
      case (false, false)?: revived.append(id)
      default: break
      }
    }
  }
}

extension BackendReader {
  /// What replicas did apart: values and, in the present state, deaths.
  package func conflicts() async throws -> [Conflict] {
    (try await valueConflicts() + unseenDeaths()).sorted(by: Conflict.precedes)
  }
}
