import VarveCore

/// The rows of a query, as ``Persistable/readAll(_:)`` goes through them.
public final class EntityRows {
  private let cursor: any RowCursor
  private let limit: Int
  private var count = 0
  /// Those that could not be read.
  private(set) var unreadable: [UnreadableRow] = []
  private let type: EntityType

  init(_ cursor: any RowCursor, type: EntityType, limit: Int = .max) {
    self.cursor = cursor
    self.type = type
    self.limit = limit
  }

  /// The next row, or nil after the last.
  public func next() throws -> EntityRow? {
    guard count < limit, try cursor.advance() else { return nil }
    count += 1
    return EntityRow(cursor: cursor)
  }

  /// Leaves out a row that could not be read. Errors that are not about the row are thrown on.
  public func pass(over row: EntityRow, _ error: any Error) throws {
    let (key, reason): (PropertyKey?, UnreadableRow.Reason)
    switch error {
    case let error as FieldMismatch:
      (key, reason) = (error.key, .otherKind(actual: error.actual, wanted: error.wanted))
    case let error as VarveError where error.code == .missingField:
      let name = error.place?.dropFirst("property ".count)
      (key, reason) = (name.map { PropertyKey(String($0)) }, .missing)
    case let error as VarveError where error.code == .damaged || error.code == .inputOutput:
      throw error
    case is CancellationError: throw error
    default: (key, reason) = (nil, .failed(String(describing: error)))
    }
    // A limit is met by those that can be read.
    count -= 1
    unreadable.append(
      UnreadableRow(type: type, id: try row.entityID(), key: key, reason: reason)
    )
  }
}

/// A row that could not be read as a model, and was left out.
public struct UnreadableRow: Hashable, Sendable {
  /// Why a row could not be read.
  public enum Reason: Hashable, Sendable {
    /// A property that must be there is missing.
    case missing
    /// A property has a value of another kind.
    case otherKind(actual: String, wanted: String)
    /// The model's initialiser threw something else.
    case failed(String)
  }

  /// The type of the model.
  public let type: EntityType
  /// The entity.
  public let id: EntityID
  /// The property, where it was one.
  public let key: PropertyKey?
  /// Why.
  public let reason: Reason
}

extension UnreadableRow: CustomStringConvertible {
  /// One line.
  public var description: String {
    let what = key.map { "\"\($0)\"" } ?? "it"
    return switch reason {
    case .missing: "\(type) \(id): \(what) is missing"
    case .otherKind(let actual, let wanted): "\(type) \(id): \(what) is \(actual), not \(wanted)"
    case .failed(let error): "\(type) \(id): \(error)"
    }
  }
}
