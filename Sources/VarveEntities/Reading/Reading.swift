public import VarveCore

/// A readable state: the present, a past state, a snapshot or a transaction.
///
/// A custom type conforms by forwarding `reading` to another; every other method has a default.
/// Only a ``Store`` creates the indexes and search tables that a query of models wants: through a
/// custom type, the query is correct and uses those that exist.
public protocol Reading: Sendable {
  /// Calls a closure with a reader of one state. The reader is valid inside the closure only, and
  /// the closure must not use the same snapshot or transaction again.
  ///
  /// - Throws: the errors of the body, or ``VarveError``.
  func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result

  /// Streams the entities that a query matches, all from one state.
  ///
  /// Memory use is constant: the next page is read when the previous one is used up, and reading
  /// stops if the iteration is abandoned. A transaction reads all entities when the iteration
  /// begins.
  ///
  /// ```swift
  /// for try await hat in store.stream(Query("Hat"), pageSize: 1_000) { print(hat.id) }
  /// ```
  ///
  /// - Parameters:
  ///   - query: what to fetch.
  ///   - pageSize: how many entities are read at a time; at least 1.
  func stream(_ query: Query, pageSize: Int) -> EntityStream
}

/// A reader of one state, which ``Reading/reading(_:)`` passes to its closure.
public struct StateReader {
  package let reader: any BackendReader
  package let rules: ReadingRules
  /// The classes of the references that the store returns.
  package var classes: TypeRegistry { rules.classes }

  init(reader: any BackendReader, rules: ReadingRules) {
    self.reader = reader
    self.rules = rules
  }
}

/// A type and the number of its live entities.
public struct TypeCount: Hashable, Sendable {
  /// The type label.
  public let type: EntityType
  /// The number of live entities.
  public let count: Int

  package init(type: EntityType, count: Int) {
    self.type = type
    self.count = count
  }
}
