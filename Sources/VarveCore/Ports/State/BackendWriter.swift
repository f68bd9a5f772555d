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

  /// Returns the times at which a relation, or an element of a to-many property, was declared and
  /// removed.
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
