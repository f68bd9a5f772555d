#if Server
import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import VarveCore
import VarveSync

/// The body of `GET …/live`: server-sent events with the place after the last arrival of a space.
///
/// It costs nothing while nothing arrives. It ends when the server stops, the client leaves, the
/// space is closed, or the caller may no longer read it.
struct LiveStream: Sendable {
  let lease: SpaceLease
  let pulse: StreamPulse
  /// The time at which the caller's token ends.
  let expiry: Date?
  /// Returns whether the client has left; nil if the body of its request tells.
  let hasLeft: (@Sendable () async -> Bool)?
  /// Throws if the caller may no longer read the space.
  let review: @Sendable () async throws -> Void

  func body(of request: Request, holding permit: StreamPermit) -> ResponseBody {
    ResponseBody { writer in
      let (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let announcer = lease.space.announcer
      let (follower, number) = (announcer.follow(waker), pulse.add(waker, until: expiry))
      defer {
        announcer.leave(follower)
        pulse.remove(number)
      }
      try await withTaskCancellationOrGracefulShutdownHandler {
        guard let hasLeft else {
          return try await request.body.consumeWithInboundCloseHandler { _ in
            try await write(wakes, as: number, to: &writer)
          } onInboundClosed: {
            waker.finish()
          }
        }
        let watch = Task {
          while await !hasLeft() { try await Task.sleep(for: RequestWork.interval) }
          waker.finish()
        }
        defer { watch.cancel() }
        try await write(wakes, as: number, to: &writer)
      } onCancelOrGracefulShutdown: {
        waker.finish()
      }
      withExtendedLifetime(permit) {}
      try await writer.finish(nil)
    }
  }

  /// Writes the place whenever it has changed, and otherwise a comment from time to time, by which
  /// both sides notice a broken connection.
  @concurrent
  private func write(
    _ wakes: AsyncStream<Void>,
    as number: Int,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    var announced: SpacePosition?
    for await _ in wakes {
      let signal = pulse.take(number)
      // A caller who may no longer read is disconnected. The reply to the next request has the
      // reason.
      if signal != .none { do { try await review() } catch { return } }
      if let news = lease.space.announcer.announcement, news.end != announced {
        try await writer.write(news.event)
        announced = news.end
      } else if signal == .beat {
        try await writer.write(ByteBuffer(string: ":\n\n"))
      }
    }
  }
}
#endif
