#if Client || canImport(Darwin)
#if canImport(Darwin)
import Foundation
import Synchronization
import VarveCore

/// Takes what the system says of transfers in the background, and hands each reply to the request
/// that waits.
final class BackgroundEvents: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
  /// The end of a transfer: the head of the reply, and its body.
  typealias End = CheckedContinuation<(URLResponse, CarriedFile?), any Error>

  /// A transfer that has not ended.
  private struct Transfer {
    let end: End
    var body: CarriedFile?
    var failure: (any Error)?
  }

  private struct State {
    var transfers: [Int: Transfer] = [:]
    /// The number of replies that are not read yet.
    var replyCount = 0
    /// Whether the system has delivered everything for which it woke the process.
    var hasDelivered = false
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Returns those who wait for all events, if there are no more.
    mutating func finished() -> [CheckedContinuation<Void, Never>] {
      guard hasDelivered, replyCount == 0, !waiting.isEmpty else { return [] }
      defer { (waiting, hasDelivered) = ([], false) }
      return waiting
    }
  }

  private let folder: URL
  private let state = Mutex(State())

  init(_ folder: URL) { self.folder = folder }

  /// Waits for the end of a transfer.
  func add(_ identifier: Int, _ end: End) {
    state.withLock { $0.transfers[identifier] = Transfer(end: end) }
  }

  /// Returns once all events are delivered and all replies are read.
  func finish() async {
    await withCheckedContinuation { continuation in
      change { $0.waiting.append(continuation) }
    }
  }

  private func change(_ body: (inout sending State) -> Void) {
    let finished = state.withLock { state in
      body(&state)
      return state.finished()
    }
    for continuation in finished { continuation.resume() }
  }

  // MARK: The body of a reply

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    take(dataTask) { transfer in
      if transfer.body == nil { transfer.body = try self.makeReply() }
      try transfer.body?.append(data)
    }
  }

  func urlSession(
    _ session: URLSession,
    downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    take(downloadTask) { transfer in
      let body = try self.makeReply()
      try FileManager.default.removeItem(at: body.url)
      try FileManager.default.moveItem(at: location, to: body.url)
      transfer.body = body
    }
  }

  /// Makes the file of a reply, which counts until it is read.
  private func makeReply() throws -> CarriedFile {
    let file = try CarriedFile(in: folder) { [weak self] in self?.change { $0.replyCount -= 1 } }
    change { $0.replyCount += 1 }
    return file
  }

  /// Changes a transfer. If that fails, so does the transfer.
  private func take(_ task: URLSessionTask, _ body: (inout Transfer) throws -> Void) {
    guard var transfer = state.withLock({ $0.transfers[task.taskIdentifier] }) else { return }
    do {
      try body(&transfer)
    } catch {
      transfer.failure = error
      task.cancel()
    }
    state.withLock { $0.transfers[task.taskIdentifier] = transfer }
  }

  // MARK: Ends

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let transfer = state.withLock({ $0.transfers.removeValue(forKey: task.taskIdentifier) })
    else { return removeBody(of: task) }
    if let failure = transfer.failure ?? error {
      transfer.end.resume(throwing: failure)
    } else if let response = task.response {
      transfer.end.resume(returning: (response, transfer.body))
    } else {
      transfer.end.resume(throwing: URLError(.badServerResponse))
    }
  }

  /// Removes the body of a request that an earlier process made.
  private func removeBody(of task: URLSessionTask) {
    guard let name = task.taskDescription else { return }
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    // Files are removed after the lock is free, because that changes the state.
    let transfers = state.withLock { state in
      defer { state.transfers = [:] }
      return state.transfers
    }
    for transfer in transfers.values {
      transfer.end.resume(throwing: error ?? URLError(.cancelled))
    }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    change { $0.hasDelivered = true }
  }
}
#endif
#endif
