/// The changes of transactions, one by one. See ``Store/changes(since:)``.
///
/// Supports one iteration; a second at the same time ends at once. The subscription ends with the
/// last copy of the sequence and its iterator.
public struct ChangeSequence: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ChangeSet
  /// The type of the errors.
  public typealias Failure = any Error

  private let subscription: Subscription

  init(_ store: Store, _ channel: ChangeChannel) {
    subscription = Subscription(store: store, channel: channel)
  }

  package var channel: ChangeChannel { subscription.channel }

  /// Creates an iterator that continues with the change sets not taken yet.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Returns a waiting change set, or nil if there is none.
  public func poll() -> ChangeSet? { subscription.channel.poll() }

  /// Waits for change sets without taking them. Returns false after the end, or if cancelled.
  package func waitForChange() async -> Bool { await subscription.channel.waitForChange() }

  /// Calls the body after commits, also after those that leave the present as it was. Takes the change
  /// sets. Several commits may cause one call.
  package func forEachArrival(_ body: () -> Void) async throws {
    while await waitForChange() {
      while poll() != nil {}
      body()
    }
    try Task.checkCancellation()
    while try await channel.next() != nil {}
  }

  /// An iterator of the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription

    /// Returns the next change set; nil once the store is closed.
    ///
    /// - Throws: ``VarveError`` if the log cannot be read; `CancellationError`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws -> ChangeSet? {
      try await subscription.channel.next()
    }

    /// Returns the next change set; nil once the store is closed.
    public mutating func next() async throws -> ChangeSet? { try await next(isolation: #isolation) }
  }

  /// A subscription, which ends with its last holder.
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
