public import VarveCore

/// A sequence of entities, read page by page on demand.
///
/// Each iteration reads the entities again. Reading stops when the iteration is abandoned or its
/// task is cancelled; cancellation throws `CancellationError`.
///
/// ```swift
/// for try await hat in store.stream(Query("Hat")) { print(hat.id) }
/// ```
public struct EntityStream: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = StoredEntity
  /// The type of the errors.
  public typealias Failure = any Error

  private let pageSize: Int
  private let produce: @Sendable (Int, PageChannel) async throws -> Void

  init(
    pageSize: Int,
    produce: @escaping @Sendable (Int, PageChannel) async throws -> Void
  ) {
    self.pageSize = Swift.max(1, pageSize)
    self.produce = produce
  }

  /// Creates an iterator, which reads nothing before its first element is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator { [pageSize, produce] pages in try await produce(pageSize, pages) }
  }

  /// An iterator of the stream.
  public struct Iterator: AsyncIteratorProtocol {
    private let session: Session
    private var page: [StoredEntity] = []
    private var position = 0

    /// The policy of the store that is read, once there is an entity.
    package var unreadableRows: UnreadableRowPolicy { session.pages.unreadableRows }

    fileprivate init(_ produce: @escaping @Sendable (PageChannel) async throws -> Void) {
      session = Session(produce)
    }

    /// Returns the next entity, or nil after the last.
    ///
    /// - Throws: the error of the read, or `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> StoredEntity? {
      while position == page.count {
        guard let next = try await session.next() else { return nil }
        page = next
        position = 0
      }
      defer { position += 1 }
      return page[position]
    }

    /// Returns the next entity, or nil after the last.
    public mutating func next() async throws -> StoredEntity? {
      try await next(isolation: #isolation)
    }

    /// Stops reading when the iterator is deallocated.
    private final class Session {
      let pages = PageChannel()
      private var produce: (@Sendable (PageChannel) async throws -> Void)?

      init(_ produce: @escaping @Sendable (PageChannel) async throws -> Void) {
        self.produce = produce
      }

      func next() async throws -> [StoredEntity]? {
        if let produce {
          self.produce = nil
          pages.start(produce)
        }
        return try await pages.next()
      }

      deinit { pages.close(CancellationError()) }
    }
  }
}
