import Synchronization
import VarveCore

/// Hands pages of entities from a task that reads them to an iterator that wants them, one at a
/// time: the reader goes on when the next page is wanted.
final class PageChannel: Sendable {
  private let state = Mutex(ChannelState())

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

  /// Hands over a page; answers, once another is wanted, whether one is.
  func offer(_ page: [Entity]) async -> Bool {
    await withCheckedContinuation { continuation in
      let (consumer, isOver) = state.withLock { state in
        guard state.end == nil else {
          return (nil as CheckedContinuation<[Entity]?, any Error>?, true)
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

  /// Waits until the reading task is done.
  func producerEnd() async {
    let task = state.withLock { $0.task }
    await task?.value
  }

  // MARK: The iterating side

  /// The next page, or nil after the last.
  func next() async throws -> [Entity]? {
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

  /// Ends the reading: the iterator is gone, cancelled, or what it reads from has ended.
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
          nil as CheckedContinuation<[Entity]?, any Error>?
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
    consumer?.resume(with: end.map { nil as [Entity]? })
  }
}

private struct ChannelState {
  var producer: CheckedContinuation<Bool, Never>?
  var consumer: CheckedContinuation<[Entity]?, any Error>?
  var page: [Entity]?
  var end: Result<Void, any Error>?
  var task: Task<Void, Never>?

  /// Notes that a page is wanted: the answer if there is one already, and who must go on if not.
  mutating func want(
    _ continuation: CheckedContinuation<[Entity]?, any Error>
  ) -> (answer: Result<[Entity]?, any Error>?, producer: CheckedContinuation<Bool, Never>?) {
    if let page {
      self.page = nil
      return (.success(page), nil)
    }
    if let end { return (end.map { nil as [Entity]? }, nil) }
    consumer = continuation
    defer { producer = nil }
    return (nil, producer)
  }
}
