import VarveCore
import VarveSync
import VarveTestSupport

/// A connection that changes frames that it sends.
actor ChangingChannel: FrameChannel {
  private let inner: InProcessChannel
  private let change: @Sendable (_ frame: [UInt8], _ place: Int) throws -> [UInt8]
  private var sent = 0

  /// - Parameter change: returns what is sent for a frame, whose place counts from 0.
  init(
    _ inner: InProcessChannel,
    _ change: @escaping @Sendable (_ frame: [UInt8], _ place: Int) throws -> [UInt8]
  ) {
    self.inner = inner
    self.change = change
  }

  func send(_ frame: [UInt8]) async throws {
    defer { sent += 1 }
    try await inner.send(change(frame, sent))
  }

  nonisolated func receive() async throws -> [UInt8]? { try await inner.receive() }

  nonisolated func close() async { await inner.close() }
}

/// Synchronises a log over a connection; its report, or the error that ended it.
func outcome(
  of log: any CommitLog,
  _ channel: any FrameChannel,
  limits: SyncLimits = SyncLimits(),
  packs: Bool = true
) async -> Result<SyncReport, any Error> {
  do {
    return .success(try await Peer(log, channel, limits: limits, packs: packs).run())
  } catch {
    return .failure(error)
  }
}
