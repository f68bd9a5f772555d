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
  /// How many models to pass over, and how many to give.
  private let window: Range<Int>
  /// Why nothing can be streamed.
  private let refusal: VarveError?

  init(_ entities: EntityStream, window: Range<Int>, refusal: VarveError?) {
    self.entities = entities
    self.window = window
    self.refusal = refusal
  }

  /// Begins an iteration. Nothing is read before the first element is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(entities: entities.makeAsyncIterator(), window: window, refusal: refusal)
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var entities: EntityStream.Iterator
    fileprivate let window: Range<Int>
    fileprivate let refusal: VarveError?
    /// How many models were read.
    private var count = 0

    fileprivate init(
      entities: EntityStream.Iterator,
      window: Range<Int>,
      refusal: VarveError?
    ) {
      (self.entities, self.window, self.refusal) = (entities, window, refusal)
    }

    /// The next model that can be read, or nil after the last.
    ///
    /// - Throws: what the reading throws, or `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Model? {
      if let refusal { throw refusal }
      while count < window.upperBound,
        let entity = try await entities.next(isolation: isolation)
      {
        let cursor = EntityCursor(Model.schema.shape, [entity])
        let rows = EntityRows(cursor, type: Model.schema.type)
        if let model: Model = try rows.firstReadable() {
          count += 1
          if count > window.lowerBound { return model }
        }
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
    let erased = query.erased
    return ModelStream(
      // A window is one of the models that can be read.
      stream(erased.limit == 0 ? erased : erased.withoutWindow, pageSize: pageSize),
      window: erased.offset..<max(erased.offset, erased.windowEnd ?? .max),
      refusal: refusal
    )
  }
}
