import Synchronization
package import VarveCore

/// Drives a session over a log and a connection until the session ends.
package struct Peer {
  private let log: any CommitLog
  private let channel: any FrameChannel
  private let limits: SyncLimits
  private let wantsOutlines: Bool
  private let packs: Bool

  /// Makes a peer that has not started.
  ///
  /// - Parameters:
  ///   - wantsOutlines: whether to receive the present before its history, if the log can take it
  ///     that way.
  ///   - packs: whether small commits are packed, if the other side does so too.
  package init(
    _ log: any CommitLog,
    _ channel: any FrameChannel,
    limits: SyncLimits = SyncLimits(),
    wantsOutlines: Bool = false,
    packs: Bool = true
  ) {
    self.log = log
    self.channel = channel
    self.limits = limits
    self.wantsOutlines = wantsOutlines
    self.packs = packs
  }

  /// Synchronises, and closes the connection.
  ///
  /// - Parameters:
  ///   - tag: a number that no other session is likely to have.
  ///   - progress: called after each step.
  /// - Throws: `VarveError`; `CancellationError`. Received commits are kept.
  package func run(
    tag: UInt64 = .random(in: .min ... .max),
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    // Frames are received while others are sent. Otherwise two peers that both send could wait for
    // each other for ever. The window bounds what collects here; a peer that sends more than that
    // waits.
    let (frames, arrived) = AsyncStream<[UInt8]>.makeStream()
    let gathered = Gathered(limit: 2 * limits.window + 4 * Frame.maximumByteCount)
    let reading = Task { [channel] in
      defer { arrived.finish() }
      while let frame = try await channel.receive() {
        try await gathered.add(frame.count)
        arrived.yield(frame)
      }
    }
    defer { reading.cancel() }
    return try await withTaskCancellationHandler {
      do {
        let report = try await exchange(tag, frames, gathered, progress)
        await channel.close()
        return report
      } catch {
        await channel.close()
        throw error
      }
    } onCancel: {
      arrived.finish()
    }
  }

  private func exchange(
    _ tag: UInt64,
    _ frames: AsyncStream<[UInt8]>,
    _ gathered: Gathered,
    _ progress: (SyncProgress) -> Void
  ) async throws -> SyncReport {
    var arrivals = frames.makeAsyncIterator()
    if var exchange = SealedExchange(log) {
      let mayGoOn = try await exchange.run(tag, channel, &arrivals) { gathered.take($0) }
      guard mayGoOn else { return SyncReport() }
    }
    var session = SyncSession(tag: tag, limits: limits, packs: packs)
    var performer = SyncPerformer(log, limits: limits)
    var actions = ArraySlice(try await session.start(on: log, wantsOutlines: wantsOutlines))
    while true {
      while let action = actions.popFirst() {
        try Task.checkCancellation()
        switch action {
        case .finish(let report): return report
        case .fail(let error): throw error
        case .handOver: preconditionFailure("commits are sent over a connection as bytes")
        case .send(let frame):
          // The end of reading reports a broken connection: what arrived before still counts.
          try? await channel.send(frame)
        default:
          do {
            if let event = try await performer.perform(action) { actions += session.handle(event) }
          } catch {
            // Frames already due are sent first, because frames are numbered.
            actions = actions.filter(\.isSending) + session.fail(error)
          }
        }
        progress(session.progress)
      }
      let frame = await arrivals.next()
      try Task.checkCancellation()
      gathered.take(frame?.count ?? 0)
      if let frame, log.sealing == nil, Frame.isSealed(frame) {
        actions += session.fail(VarveError.sealingIsMissing)
      } else {
        actions += frame.map { session.receive($0) } ?? session.closed()
      }
    }
  }
}

extension Frame {
  /// Whether the bytes are a frame of an exchange of memberships.
  fileprivate static func isSealed(_ bytes: [UInt8]) -> Bool {
    (try? Frame(encoded: bytes))?.kind == sealedKind
  }
}

/// The number of bytes of the frames that have arrived but have not been processed.
private final class Gathered: Sendable {
  private let byteCount = Mutex(0)
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Counts bytes that arrived; waits while there are too many.
  func add(_ count: Int) async throws {
    byteCount.withLock { $0 += count }
    while byteCount.withLock({ $0 }) > limit { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Uncounts bytes that have been processed.
  func take(_ count: Int) { byteCount.withLock { $0 -= count } }
}
