/// What transactions change, one after another. See ``Store/changes(since:)``.
///
/// It is for one iteration; a second at the same time ends at once. The subscription ends with the
/// last copy of the sequence and its iterator.
public struct ChangeSequence: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = ChangeSet
  /// What it throws.
  public typealias Failure = any Error

  private let subscription: Subscription

  init(_ store: Store, _ channel: ChangeChannel) {
    subscription = Subscription(store: store, channel: channel)
  }

  var channel: ChangeChannel { subscription.channel }

  /// Goes on with the change sets that nobody has taken yet.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// A change set that is there already, without waiting; nil where there is none.
  public func poll() -> ChangeSet? { subscription.channel.poll() }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// The next change set; nil once the store is closed.
    ///
    /// - Throws: ``VarveError`` where the log cannot be read; `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> ChangeSet? {
      try await subscription.channel.next()
    }

    /// The next change set; nil once the store is closed.
    public mutating func next() async throws -> ChangeSet? { try await next(isolation: #isolation) }
  }

  /// Ends with its last holder.
  fileprivate final class Subscription: Sendable {
    let store: Store
    let channel: ChangeChannel

    init(store: Store, channel: ChangeChannel) {
      self.store = store
      self.channel = channel
    }

    deinit {
      store.hub.remove(channel)
      channel.finish()
    }
  }
}
