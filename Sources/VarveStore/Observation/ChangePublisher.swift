#if canImport(Combine)
  public import Combine
  import Synchronization
#elseif OpenCombine
  public import OpenCombine
  import Synchronization
#endif

#if canImport(Combine) || OpenCombine
  extension ChangeSequence {
    /// The change sets for one subscriber, as it demands them. What is committed before it
    /// subscribes waits for it. It completes when the store is closed.
    ///
    /// Where there is no Combine, the package trait `OpenCombine` brings OpenCombine instead.
    ///
    /// ```swift
    /// let subscription = try await store.changes().publisher
    ///   .sink { print($0) } receiveValue: { print($0.changed) }
    /// ```
    public var publisher: ChangePublisher { ChangePublisher(changes: self) }
  }

  /// Publishes change sets. See ``ChangeSequence/publisher``.
  public struct ChangePublisher: Publisher {
    /// What it publishes.
    public typealias Output = ChangeSet
    /// How it fails: the log cannot be read.
    public typealias Failure = any Error

    let changes: ChangeSequence

    /// Subscribes.
    public func receive<Listener: Subscriber>(subscriber: Listener)
    where Listener.Input == Output, Listener.Failure == Failure {
      subscriber.receive(subscription: ChangeSubscription(changes, subscriber))
    }
  }

  /// Hands change sets to a subscriber as it demands them.
  ///
  /// `@unchecked Sendable`: subscribers take values from any thread, one at a time; only the one
  /// task that is running does so.
  private final class ChangeSubscription: Subscription, @unchecked Sendable {
    private struct State: Sendable {
      /// How many are wanted; nil for all.
      var wanted: Int? = 0
      var task: Task<Void, Never>?
      var isCancelled = false

      /// Adds to what is wanted; nil is all there are.
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

    /// Whether another is wanted; the task ends where none is.
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
