import Synchronization
import VarveCore

/// Passes pages of entities from the task that reads them to an iterator, one at a time. The task
/// reads the next page when the iterator requests it.
final class PageChannel: Sendable {
  private let state = Mutex(ChannelState())

  /// The policy of the store that is read, once there is a page.
  var unreadableRows: UnreadableRowPolicy { state.withLock { $0.unreadableRows } }

  /// Takes over the rules of the store that is read.
  func follow(_ rules: ReadingRules) {
    state.withLock { $0.unreadableRows = rules.unreadableRows }
  }

  /// Starts the task that offers pages.
  func start(_ produce: @escaping @Sendable (PageChannel) async throws -> Void) {
    let task = Task {
      do {
        try await produce(self)
        finish(.success(()))
      } catch {
        finish(.failure(error))
      }
    }
    state.withLock { $0.task = task }
  }

  // MARK: The reading side

  /// Offers a page. Returns true once another page is wanted, or false if the iteration has ended.
  func offer(_ page: [StoredEntity]) async -> Bool {
    await withCheckedContinuation { continuation in
      let (consumer, isOver) = state.withLock { state in
        guard state.end == nil else {
          return (nil as CheckedContinuation<[StoredEntity]?, any Error>?, true)
        }
        state.producer = continuation
        guard let consumer = state.consumer else {
          state.page = page
          return (nil, false)
        }
        state.consumer = nil
        return (consumer, false)
      }
      if isOver { continuation.resume(returning: false) }
      consumer?.resume(returning: page)
    }
  }

  /// Waits for the end of the reading task.
  func producerEnd() async {
    let task = state.withLock { $0.task }
    await task?.value
  }

  // MARK: The iterating side

  /// Returns the next page, or nil after the last.
  func next() async throws -> [StoredEntity]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (answer, producer) = state.withLock { $0.want(continuation) }
        if let answer { continuation.resume(with: answer) }
        producer?.resume(returning: true)
      }
    } onCancel: {
      close(CancellationError())
    }
  }

  /// Ends the iteration because the iterator is gone or cancelled, or the state it reads has ended.
  func close(_ error: any Error) {
    let task = state.withLock { $0.end == nil ? $0.task : nil }
    finish(.failure(error))
    task?.cancel()
  }

  private func finish(_ end: Result<Void, any Error>) {
    let (producer, consumer) = state.withLock { state in
      guard state.end == nil else {
        return (
          nil as CheckedContinuation<Bool, Never>?,
          nil as CheckedContinuation<[StoredEntity]?, any Error>?
        )
      }
      state.end = end
      defer {
        state.producer = nil
        state.consumer = nil
      }
      return (state.producer, state.consumer)
    }
    producer?.resume(returning: false)
    consumer?.resume(with: end.map { nil as [StoredEntity]? })
  }
}

private struct ChannelState {
  var producer: CheckedContinuation<Bool, Never>?
  var consumer: CheckedContinuation<[StoredEntity]?, any Error>?
  var page: [StoredEntity]?
  var end: Result<Void, any Error>?
  var task: Task<Void, Never>?
  var unreadableRows = UnreadableRowPolicy.omit

  /// Records that a page is wanted. Returns the result if there is one already, and the producer to
  /// resume otherwise.
  mutating func want(
    _ continuation: CheckedContinuation<[StoredEntity]?, any Error>
  ) -> (answer: Result<[StoredEntity]?, any Error>?, producer: CheckedContinuation<Bool, Never>?) {
    if let page {
      self.page = nil
      return (.success(page), nil)
    }
    if let end { return (end.map { nil as [StoredEntity]? }, nil) }
    consumer = continuation
    defer { producer = nil }
    return (nil, producer)
  }
}
