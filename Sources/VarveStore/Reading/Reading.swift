public import VarveCore

/// Everything that can be read: from the present, a past state, a snapshot or inside a write.
///
/// A type of your own conforms by handing `reading` on to another; everything else follows.
public protocol Reading: Sendable {
  /// Gives one state to a closure. The reader is valid inside it only, and the closure may not
  /// use the same snapshot or transaction again.
  ///
  /// - Throws: what the body throws, or ``VarveError``.
  func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result

  /// The entities a query asks for, one after another, of one state.
  ///
  /// Memory stays flat: the next page is read when the last one is used up, and a stream that is
  /// given up stops reading. Of a transaction, all are read when the iteration begins.
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

/// One state, being read: what ``Reading/reading(_:)`` hands to its closure.
public struct StateReader {
  package let backend: any BackendReader
  /// The classes of the store's answers.
  package let classes: ReferenceClasses

  package init(backend: any BackendReader, classes: ReferenceClasses) {
    self.backend = backend
    self.classes = classes
  }
}

/// A type and how many live entities it has.
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
