import Observation
import VarveCore
import VarveEntities

/// Repeats a read on the main actor after every change that concerns it.
///
/// One task performs all reads, so results arrive in the order of the requests. Of the requests
/// made during a read, only the last is performed. The task does not retain the reader.
///
/// Observation is written by hand: the macro `@Observable` compares with `==`, which for models
/// compares identifiers only.
@MainActor
final class LiveReader<Answer: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private let store: Store
  private let isSame: @Sendable (Answer, Answer) -> Bool
  private var task: Task<Void, Never>?
  private var channel: ChangeChannel?

  private var currentAnswer: Answer?
  private var currentError: (any Error)?
  private var currentRequest: LiveRequest<Answer>
  private var concern = LiveRequest<Answer>.Concern.all
  /// The number of requests made, and of the last one that was read.
  private var requestNumber = 1
  private var readNumber = 0
  /// Whether the present was read before changes were followed, so that some may have been missed.
  private var isUnfollowed = false
  /// Applies a change of the result, such as inside an animation; nil applies it directly.
  var applying: (@MainActor (_ change: () -> Void) -> Void)?
  /// Callers that wait until everything before their number is read.
  private var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private var waitNumber = 0

  /// Creates a reader and begins to read.
  ///
  /// - Parameters:
  ///   - firstWithin: how long to wait for the first result.
  ///   - isSame: whether two results are equal.
  init(
    _ store: Store,
    _ request: LiveRequest<Answer>,
    firstWithin time: Duration = .zero,
    isSame: @escaping @Sendable (Answer, Answer) -> Bool
  ) {
    self.store = store
    self.isSame = isSame
    currentRequest = request
    if time > .zero, request.moment == .now { readFirst(within: time) }
    start()
  }

  deinit {
    task?.cancel()
    for waiter in waiting { waiter.continuation.resume() }
  }

  // MARK: Observed properties

  /// The last result.
  private(set) var answer: Answer? {
    get {
      registrar.access(self, keyPath: \.answer)
      return currentAnswer
    }
    set { registrar.withMutation(of: self, keyPath: \.answer) { currentAnswer = newValue } }
  }

  /// The error of the last read, if it failed.
  private(set) var error: (any Error)? {
    get {
      registrar.access(self, keyPath: \.error)
      return currentError
    }
    set {
      guard currentError != nil || newValue != nil else { return }
      registrar.withMutation(of: self, keyPath: \.error) { currentError = newValue }
    }
  }

  /// Whether the last request is not read yet.
  var isLoading: Bool {
    registrar.access(self, keyPath: \.isLoading)
    return readNumber != requestNumber
  }

  /// The read to repeat.
  var request: LiveRequest<Answer> {
    get {
      registrar.access(self, keyPath: \.request)
      return currentRequest
    }
    set {
      registrar.withMutation(of: self, keyPath: \.request) { currentRequest = newValue }
      number(requests: requestNumber + 1, read: readNumber)
      start()
      channel?.wake()
    }
  }

  private func number(requests: Int, read: Int) {
    guard (requests == read) != (requestNumber == readNumber) else {
      (requestNumber, readNumber) = (requests, read)
      return
    }
    registrar.withMutation(of: self, keyPath: \.isLoading) {
      (requestNumber, readNumber) = (requests, read)
    }
  }

  // MARK: Reading

  /// Reads on the caller's time, so that a view has its rows at its first frame. Creates no indexes,
  /// which may take long.
  private func readFirst(within time: Duration) {
    var request = currentRequest
    request.query = nil
    let outcome = BlockingCall.result(within: time) { [request, store] in
      await request.outcome(in: store, after: nil) { _, _ in false }
    }
    guard case .new(let reply)? = outcome else { return }
    (currentAnswer, concern) = (reply.answer, reply.concerns)
    (readNumber, isUnfollowed) = (requestNumber, true)
  }

  /// Waits until the result includes everything that was requested and committed before.
  func settle() async throws {
    try store.refuseInsideOwnWrite("settle")
    try? await store.reportNews()
    start()
    waitNumber += 1
    let number = waitNumber
    channel?.wake()
    await withCheckedContinuation { waiting.append((number, $0)) }
    if let currentError { throw currentError }
    // The task may have had its turn before it noticed that the store is closed.
    do { _ = try await store.frontier() } catch {
      end(error)
      throw error
    }
  }

  /// Starts the task that reads. It is detached, because a write that surrounds this call is over
  /// when the task reads.
  private func start() {
    guard task == nil else { return }
    let (reader, store) = (WeakReader(self), store)
    task = Task.detached { await Self.follow(reader, store) }
  }

  private static func follow(_ reader: WeakReader, _ store: Store) async {
    do {
      let changes = try await store.changes()
      reader.value?.channel = changes.channel
      repeat {
        guard await reader.takeTurn(changes) else { return }
      } while await changes.channel.waitForChange()
      while try await changes.channel.next() != nil {}
      // The channel ends without an error only if the store is closed, which a read reports.
      _ = try await store.changes()
      reader.value?.end(nil)
    } catch is CancellationError {
      reader.value?.end(nil)
    } catch {
      reader.value?.end(error)
    }
  }

  /// The reader, which its task does not retain while it waits.
  @MainActor
  private final class WeakReader {
    weak var value: LiveReader?

    init(_ value: LiveReader) { self.value = value }

    /// Returns false if the reader is deallocated.
    func takeTurn(_ changes: ChangeSequence) async -> Bool {
      guard let value else { return false }
      await value.takeTurn(changes)
      return true
    }
  }

  private func end(_ failure: (any Error)?) {
    (task, channel) = (nil, nil)
    if let failure {
      error = failure
      number(requests: requestNumber, read: requestNumber)
    }
    release(through: waitNumber)
  }

  /// Reads once, if the last result is out of date.
  private func takeTurn(_ changes: ChangeSequence) async {
    let (number, request, waited) = (requestNumber, currentRequest, waitNumber)
    // A past state can change without a change of the present, by a merge or a dated write.
    var isDue =
      number != readNumber || currentError != nil || request.moment != .now || isUnfollowed
    isUnfollowed = false
    while let change = changes.poll() { isDue = isDue || concern.includes(change) }
    if isDue {
      let outcome = await request.outcome(in: store, after: currentAnswer, isSame)
      if Task.isCancelled { return }
      show(outcome)
      self.number(requests: requestNumber, read: number)
    }
    release(through: waited)
  }

  private func show(_ outcome: LiveRequest<Answer>.Outcome) {
    switch outcome {
    case .same(let concerns):
      concern = concerns
      error = nil
    case .new(let reply):
      concern = reply.concerns
      apply(reply.answer)
      error = nil
    case .failure(let failure):
      error = failure
    }
  }

  private func apply(_ fresh: Answer) {
    var isApplied = false
    applying? {
      if !isApplied { answer = fresh }
      isApplied = true
    }
    if !isApplied { answer = fresh }
  }

  private func release(through number: Int) {
    let due = waiting.filter { $0.number <= number }
    waiting.removeAll { $0.number <= number }
    for waiter in due { waiter.continuation.resume() }
  }
}
