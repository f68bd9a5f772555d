#if canImport(Combine)
public import Combine
import Synchronization
#elseif OpenCombine
public import OpenCombine
import Synchronization
#endif

#if canImport(Combine) || OpenCombine
extension ChangeSequence {
  /// A publisher of the change sets, for one subscriber. Change sets committed before it
  /// subscribes wait for it. The publisher completes when the store is closed.
  ///
  /// On platforms without Combine, the package trait `OpenCombine` provides OpenCombine instead.
  ///
  /// ```swift
  /// let subscription = try await store.changes().publisher
  ///   .sink { print($0) } receiveValue: { print($0.changed) }
  /// ```
  public var publisher: ChangePublisher { ChangePublisher(changes: self) }
}

/// Publishes change sets. See ``ChangeSequence/publisher``.
public struct ChangePublisher: Publisher {
  /// The type of the elements.
  public typealias Output = ChangeSet
  /// The type of the failure: the log cannot be read.
  public typealias Failure = any Error

  let changes: ChangeSequence

  /// Adds a subscriber.
  public func receive<Listener: Subscriber>(subscriber: Listener)
  where Listener.Input == Output, Listener.Failure == Failure {
    subscriber.receive(subscription: ChangeSubscription(changes, subscriber))
  }
}

/// Sends change sets to a subscriber on demand.
///
/// `@unchecked Sendable`: subscribers receive values from any thread, one at a time, and only the
/// one running task sends them.
private final class ChangeSubscription: Subscription, @unchecked Sendable {
  private struct State: Sendable {
    /// The remaining demand; nil if unlimited.
    var wanted: Int? = 0
    var task: Task<Void, Never>?
    var isCancelled = false

    /// Adds to the demand; nil makes it unlimited.
    mutating func add(_ count: Int?) {
      guard let count, let present = wanted else {
        wanted = nil
        return
      }
      wanted = present + count
    }
  }

  private let changes: ChangeSequence
  private let receive: (ChangeSet) -> Subscribers.Demand
  private let complete: (Subscribers.Completion<any Error>) -> Void
  private let state = Mutex(State())

  init<Listener: Subscriber>(_ changes: ChangeSequence, _ listener: Listener)
  where Listener.Input == ChangeSet, Listener.Failure == any Error {
    self.changes = changes
    receive = { listener.receive($0) }
    complete = { listener.receive(completion: $0) }
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { state in
      state.add(demand.max)
      guard state.task == nil, !state.isCancelled, state.wanted != 0 else { return }
      state.task = Task { await self.run() }
    }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  private func run() async {
    var iterator = changes.makeAsyncIterator()
    do {
      while takesNext() {
        guard let next = try await iterator.next() else {
          return complete(.finished)
        }
        let more = receive(next)
        state.withLock { $0.add(more.max) }
      }
    } catch is CancellationError {
      return
    } catch {
      complete(.failure(error))
    }
  }

  /// Returns whether another change set is wanted; if not, the task ends.
  private func takesNext() -> Bool {
    state.withLock { state in
      guard !state.isCancelled, state.wanted != 0 else {
        state.task = nil
        return false
      }
      state.wanted = state.wanted.map { $0 - 1 }
      return true
    }
  }
}
#endif
