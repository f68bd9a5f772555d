import VarveCore

/// Models one after another, read page by page as they are wanted. See ``EntityStream``.
///
/// Rows that cannot be read are left out and logged.
public struct ModelStream<Model: Persistable>: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = Model
  /// What it throws.
  public typealias Failure = any Error

  private let entities: EntityStream
  /// Why nothing can be streamed.
  private let refusal: VarveError?

  init(_ entities: EntityStream, refusal: VarveError?) {
    self.entities = entities
    self.refusal = refusal
  }

  /// Begins an iteration. Nothing is read before the first element is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(entities: entities.makeAsyncIterator(), refusal: refusal)
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var entities: EntityStream.Iterator
    fileprivate let refusal: VarveError?

    /// The next model that can be read, or nil after the last.
    ///
    /// - Throws: what the reading throws, or `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Model? {
      if let refusal { throw refusal }
      while let entity = try await entities.next(isolation: isolation) {
        let cursor = EntityCursor(Model.schema.shape, [entity])
        let rows = EntityRows(cursor, type: Model.schema.type)
        if let model: Model = try rows.firstReadable() { return model }
        UnreadableLog.note(rows.unreadable)
      }
      return nil
    }

    /// The next model that can be read, or nil after the last.
    public mutating func next() async throws -> Model? { try await next(isolation: #isolation) }
  }
}

extension Reading {
  /// The models of a query, one after another, of one state: memory stays flat.
  ///
  /// ```swift
  /// for try await hat in store.stream(Hat.all) { print(hat.color) }
  /// ```
  ///
  /// A query that loads relations along cannot be streamed: `invalidQuery`.
  ///
  /// - Parameters:
  ///   - query: what to fetch.
  ///   - pageSize: how many rows are read at a time; at least 1.
  public func stream<Model>(
    _ query: TypedQuery<Model>,
    pageSize: Int = 1_000
  ) -> ModelStream<Model> {
    let refusal =
      query.inclusions.isEmpty
      ? nil
      : VarveError(
        .invalidQuery,
        "a query that loads relations along cannot be streamed",
        at: "query of \"\(Model.schema.type)\"",
        remedy: "Fetch it in pages."
      )
    return ModelStream(stream(query.erased, pageSize: pageSize), refusal: refusal)
  }
}
