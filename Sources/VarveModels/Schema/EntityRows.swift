import VarveCore
import VarveEntities

/// The rows of a query, for ``Persistable/readAll(_:)``.
public final class EntityRows {
  private let cursor: any RowCursor
  private let limit: Int
  private var count = 0
  /// The rows that could not be read.
  private(set) var unreadable: [UnreadableRow] = []
  private let type: EntityType
  private let policy: UnreadableRowPolicy

  init(
    _ cursor: any RowCursor,
    type: EntityType,
    limit: Int = .max,
    policy: UnreadableRowPolicy = .omit
  ) {
    self.cursor = cursor
    self.type = type
    self.limit = limit
    self.policy = policy
  }

  /// Returns the next row, or nil after the last.
  public func next() throws -> EntityRow? {
    guard count < limit, try cursor.advance() else { return nil }
    count += 1
    return EntityRow(cursor: cursor)
  }

  /// Omits a row that could not be read, or throws if the store's policy refuses it. Errors that do
  /// not concern the row are rethrown.
  public func pass(over row: EntityRow, _ error: any Error) throws {
    let (key, reason): (PropertyKey?, UnreadableRow.Reason)
    switch error {
    case let error as FieldMismatch:
      (key, reason) = (error.key, .otherKind(actual: error.actual, wanted: error.wanted))
    case let error as VarveError where error.code == .missingField:
      (key, reason) = (error.property, .missing)
    case let error as VarveError where error.code == .damaged || error.code == .inputOutput:
      throw error
    case is CancellationError: throw error
    default: (key, reason) = (nil, .failed(String(describing: error)))
    }
    if policy == .refuse {
      throw try (error as? FieldMismatch)?.described(of: row.entityID()) ?? error
    }
    // The limit counts the rows that can be read.
    count -= 1
    unreadable.append(
      UnreadableRow(type: type, id: try row.entityID(), key: key, reason: reason)
    )
  }
}
