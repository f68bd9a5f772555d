import VarveCore
public import VarveEntities

/// The models of a query as an asynchronous sequence, read page by page. See ``EntityStream``.
///
/// Rows that cannot be read are omitted and logged.
public struct ModelStream<Model: Persistable>: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Model
  /// The type of the errors.
  public typealias Failure = any Error

  private let entities: EntityStream
  /// The range of models to return, after those to skip.
  private let window: Range<Int>
  /// The error, if the query cannot be streamed.
  private let refusal: VarveError?

  init(_ entities: EntityStream, window: Range<Int>, refusal: VarveError?) {
    self.entities = entities
    self.window = window
    self.refusal = refusal
  }

  /// Begins an iteration. Nothing is read before the first element is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(entities: entities.makeAsyncIterator(), window: window, refusal: refusal)
  }

  /// An iteration over the models.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var entities: EntityStream.Iterator
    fileprivate let window: Range<Int>
    fileprivate let refusal: VarveError?
    /// The number of models read.
    private var count = 0

    fileprivate init(
      entities: EntityStream.Iterator,
      window: Range<Int>,
      refusal: VarveError?
    ) {
      (self.entities, self.window, self.refusal) = (entities, window, refusal)
    }

    /// Returns the next model that can be read, or nil after the last.
    ///
    /// - Throws: the errors of reading, or `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Model? {
      if let refusal { throw refusal }
      while count < window.upperBound,
        let entity = try await entities.next(isolation: isolation)
      {
        let cursor = EntityCursor(Model.schema.shape, [entity])
        let rows = EntityRows(
          cursor,
          type: Model.schema.type,
          policy: entities.unreadableRows
        )
        if let model: Model = try rows.firstReadable() {
          count += 1
          if count > window.lowerBound { return model }
        }
        UnreadableLog.note(rows.unreadable)
      }
      return nil
    }

    /// Returns the next model that can be read, or nil after the last.
    public mutating func next() async throws -> Model? { try await next(isolation: #isolation) }
  }
}

extension Reading {
  /// Returns the models of a query one after another, all of one state. Memory use does not grow
  /// with their number.
  ///
  /// ```swift
  /// for try await hat in store.stream(Hat.all) { print(hat.color) }
  /// ```
  ///
  /// A query that loads relations cannot be streamed; it throws `invalidQuery`.
  ///
  /// - Parameters:
  ///   - query: the query.
  ///   - pageSize: the number of rows to read at a time; at least 1.
  public func stream<Model>(
    _ query: TypedQuery<Model>,
    pageSize: Int = 1_000
  ) -> ModelStream<Model> {
    let refusal =
      query.inclusions.isEmpty
      ? nil
      : VarveError(
        .invalidQuery,
        "a query that loads relations cannot be streamed",
        at: "query of \"\(Model.schema.type)\"",
        remedy: "Fetch it in pages."
      )
    let untyped = query.untyped
    return ModelStream(
      // The limit and the offset count models that can be read.
      stream(untyped.limit == 0 ? untyped : untyped.withoutWindow, pageSize: pageSize),
      window: untyped.offset..<max(untyped.offset, untyped.windowEnd ?? .max),
      refusal: refusal
    )
  }
}
