/// A commit that is being written. Reads see the applied cells.
package protocol BackendWriter: BackendReader {
  /// The stamp of the commit.
  var time: HybridTime { get }
  /// The time of the clock by which commits take effect: the home's, or else this machine's.
  var wall: HybridTime { get throws }

  /// Creates the rows of a table whose identifiers are new, and returns the indices of the others,
  /// which it skips. An identifier that was never created but is an end of an edge counts either
  /// way: the caller handles the indices that it gets. The table's ordinals are ignored.
  func create(_ table: Creations) async throws -> [Int]

  /// Applies one cell. Returns the deaths and revivals by it.
  func apply(
    _ content: Cell.Content,
    to entity: EntityID,
    time: HybridTime?
  ) async throws -> LifeChanges

  /// Applies cells one after another. Returns the deaths and revivals by all of them together.
  /// Liveness is computed once, because intermediate states do not matter.
  func apply(together cells: [WrittenCell]) async throws -> LifeChanges

  /// Writes cells of properties, without a time, to all entities of a query whose values differ
  /// from them.
  ///
  /// - Parameters:
  ///   - contents: the values and removals, of different keys.
  ///   - companions: further ones, which do not by themselves make an entity differ.
  ///   - written: called with each cell.
  /// - Returns: the number of entities that differed, or nil if nothing was written because they
  ///   must be written one by one.
  func write(
    _ contents: [Cell.Content],
    with companions: [Cell.Content],
    toAllOf query: Query,
    _ written: (EntityID, Cell.Content) -> Void
  ) async throws -> Int?

  /// Erases all entities of a query, without a time.
  ///
  /// - Returns: the entities, in the order of the query, or nil if nothing was written because one
  ///   of them owns something or is owned, or because they must be erased one by one.
  func eraseAll(of query: Query) async throws -> [EntityID]?

  /// Returns the time of the present cell of a property, or of the entity's life if the key is nil;
  /// nil if there is none.
  func currentTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime?

  /// Returns the time from which an entity's present life began, if it is not its first; nil
  /// otherwise.
  func rebirth(of entity: EntityID) async throws -> HybridTime?

  /// Returns whether a compaction up to a time or later has folded values under a key, of any
  /// entities.
  func hasFolded(_ key: PropertyKey, at time: HybridTime) async throws -> Bool

  /// Whether some cell may be as late as the commit's own time. Otherwise ``laterTime(of:key:)`` is
  /// always nil.
  var mayHoldLaterTimes: Bool { get }

  /// Whether some property may have paired edges. Otherwise ``BackendReader/pairedEdges(of:key:)``
  /// always returns none.
  var mayHavePairedEdges: Bool { get }

  /// Returns the time of the present cell if it is not before the commit's time, so that a cell
  /// without a time must exceed it; otherwise nil. It takes no time if no cell is that late.
  func laterTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime?

  /// Returns a reader of the state at a time, for use while the commit is written; nil if nothing
  /// later counts, so that it is the present state. Entities that differ since then have their
  /// state before the commit; others include its cells.
  func past(_ time: HybridTime) async throws -> (any BackendReader)?

  /// Writes redactions of cells in earlier commits, and applies them. The cells are removed from
  /// every state, including past ones, and from all that this log returns.
  ///
  /// - Returns: whether the cells go with the commit. In a sealed space whose membership is ordered
  ///   elsewhere, they go once the home has ordered it.
  @discardableResult
  func redact(_ redactions: [Redaction]) async throws -> Bool

  /// Folds history: writes and applies redactions of the values up to a time that no moment from
  /// then on needs. Writes nothing if there are none.
  ///
  /// - Parameters:
  ///   - time: the horizon, before the commit's own time.
  ///   - isShrinking: whether the space is returned to the file system.
  /// - Returns: the number of folded cells, and whether they go with the commit, as in ``redact(_:)``. In a
  ///   sealed space no commit is needed.
  func compact(
    upTo time: HybridTime,
    shrinking isShrinking: Bool
  ) async throws -> (cellCount: Int, isDone: Bool)

  /// Marks a point in the commit, to which ``undoAttempt()`` returns. Attempts nest.
  func beginAttempt() async throws

  /// Keeps everything since the last mark, which is dropped.
  func keepAttempt() async throws

  /// Undoes everything since the last mark, which is dropped: cells, numbers and errors.
  func undoAttempt() async throws

  /// A number above those of all entities; new ones get it and higher ones. Nil if the backend
  /// assigns no numbers.
  var nextNumber: Int64? { get }

  /// Returns the relations of a kind that an entity ever declared, including removed ones and those
  /// of its former lives, in order of name.
  func relations(from source: EntityID, of kind: Relation.Kind) async throws -> [Relation]

  /// Returns all adds of a relation out of an entity, including removed ones, in order of position,
  /// then of adds.
  func adds(from source: EntityID, in relation: Relation) async throws -> [RecordedAdd]

  /// Returns the value of a property at a time and the time from which it holds: the greatest cell
  /// of the present life that is not later. Returns nil if there is none; cells of a former life
  /// are history only.
  func register(
    of entity: EntityID,
    key: PropertyKey,
    at time: HybridTime
  ) async throws -> (content: Cell.Content, time: HybridTime)?

  /// Returns the elements of a to-many property at a time, out of those added in the present life.
  func elements(of source: EntityID, key: PropertyKey, at time: HybridTime) async throws
    -> [Element]

  /// Returns the edge of a relation to a target that counts at a time, from adds of the present
  /// life.
  func edge(
    from source: EntityID,
    in relation: Relation,
    to target: EntityID,
    at time: HybridTime
  ) async throws -> RelationEdge?

  /// Returns the times at which a relation, or an element of a to-many property, was declared and
  /// removed.
  func times(from source: EntityID, in relation: Relation, to target: EntityID) async throws
    -> EdgeTimes
}

extension BackendWriter {
  /// Returns whether a property has an equal cell at exactly a time already, so that it need not be
  /// written again (R4).
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

/// A cell to be written: its entity, its content, and its time if not the commit's.
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

  package func write(
    _ contents: [Cell.Content],
    with companions: [Cell.Content],
    toAllOf query: Query,
    _ written: (EntityID, Cell.Content) -> Void
  ) async throws -> Int? {
    nil
  }

  package func eraseAll(of query: Query) async throws -> [EntityID]? { nil }

  package func apply(together cells: [WrittenCell]) async throws -> LifeChanges {
    var changes: [LifeChanges] = []
    for cell in cells {
      changes.append(try await apply(cell.content, to: cell.entity, time: cell.time))
    }
    return LifeChanges(net: changes)
  }

  package var mayHoldLaterTimes: Bool { true }

  package var mayHavePairedEdges: Bool { true }

  package func laterTime(of entity: EntityID, key: PropertyKey?) async throws -> HybridTime? {
    guard let current = try await currentTime(of: entity, key: key), current >= time else {
      return nil
    }
    return current
  }
}
