public import VarveCore

/// Entities one after another, read page by page as they are wanted.
///
/// Each iteration reads anew. An iteration that is given up, or whose task is cancelled, stops
/// reading; cancellation throws `CancellationError`.
///
/// ```swift
/// for try await hat in store.stream(Query("Hat")) { print(hat.id) }
/// ```
public struct EntityStream: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = Entity
  /// What it throws.
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

  /// Begins an iteration. Nothing is read before the first element is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator { [pageSize, produce] pages in try await produce(pageSize, pages) }
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let session: Session
    private var page: [Entity] = []
    private var position = 0

    fileprivate init(_ produce: @escaping @Sendable (PageChannel) async throws -> Void) {
      session = Session(produce)
    }

    /// The next entity, or nil after the last.
    ///
    /// - Throws: what the reading throws, or `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> Entity? {
      while position == page.count {
        guard let next = try await session.next() else { return nil }
        page = next
        position = 0
      }
      defer { position += 1 }
      return page[position]
    }

    /// The next entity, or nil after the last.
    public mutating func next() async throws -> Entity? { try await next(isolation: #isolation) }

    /// Stops the reading when the iterator goes away.
    private final class Session {
      private let pages = PageChannel()
      private var produce: (@Sendable (PageChannel) async throws -> Void)?

      init(_ produce: @escaping @Sendable (PageChannel) async throws -> Void) {
        self.produce = produce
      }

      func next() async throws -> [Entity]? {
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
