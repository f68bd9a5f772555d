#if Server
import Foundation
import Hummingbird
import HummingbirdCore
import NIOCore
import ServiceLifecycle
import VarveCore
import VarveStore

/// The change sets of a space for one subscriber, as server-sent events.
///
/// An event `changes` has a change set, and an id from which a later subscription continues. An
/// event `reset` means that what the subscriber derived from earlier events is not complete: it
/// reads the present, and goes on from there. A subscription without a known id begins with one.
///
/// Writers do not wait for a slow subscriber: the change sets that wait for it are joined, so at
/// most as many entities are held as changed meanwhile.
struct ChangeFeed: Sendable {
  private let space: Space
  /// The change sets.
  let sequence: ChangeSequence
  private let limits: ServerLimits
  /// The place at which a subscription without an earlier one begins; nil if it continues.
  let start: FeedPlace?

  init(of space: Space, after text: String?, _ limits: ServerLimits) async throws {
    self.space = space
    self.limits = limits
    if let place = text.flatMap({ FeedPlace($0) }),
      try await Self.isKnown(place, in: space, limits)
    {
      sequence = try await space.store.changes(since: place.frontier)
      start = nil
    } else {
      // The place is read first: whatever is committed meanwhile is after it.
      start = try await Self.present(of: space.store)
      sequence = try await space.store.changes()
    }
  }

  /// Whether the space had the place, and not too much came after it.
  private static func isKnown(
    _ place: FeedPlace,
    in space: Space,
    _ limits: ServerLimits
  ) async throws -> Bool {
    guard place.space == space.id else { return false }
    let log = try space.store.readableLog()
    let heads = Set(place.frontier.heads)
    guard try await log.held(among: Array(heads)) == heads else { return false }
    return try await log.commitCount(beyond: place.frontier) <= limits.resumedCommitCount
  }

  /// Returns the place of everything that has taken effect.
  static func present(of store: Store) async throws -> FeedPlace {
    let log = try store.readableLog()
    let withheld = Dictionary(
      try await log.withheldCommits().map { ($0.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let heads = try await log.frontier().heads.compactMap { head -> CommitID? in
      var head = head
      while let commit = withheld[head] {
        head = CommitID(
          replica: head.replica,
          sequence: head.sequence - 1,
          hash: commit.header.previous
        )
      }
      return head.sequence > 0 ? head : nil
    }
    return FeedPlace(space: try await log.space(), frontier: Frontier(heads))
  }

  // MARK: Writing

  /// Writes events until the server stops, the space is closed or the subscriber is gone, and a
  /// comment from time to time, by which both sides notice a broken connection.
  ///
  /// - Parameters:
  ///   - pulse: says when a comment is due.
  ///   - expiry: the time at which the subscriber's token ends.
  ///   - review: throws if the subscriber may no longer read the space. It is called before
  ///     whatever is written, and the feed then ends.
  @concurrent
  func write(
    to writer: inout any ResponseBodyWriter,
    by pulse: StreamPulse,
    until expiry: Date?,
    review: @Sendable () async throws -> Void
  ) async throws {
    if let start {
      try await writer.write(ByteBuffer(string: FeedEvent.reset(start).text))
    } else {
      try await writer.write(ByteBuffer(string: ":\n\n"))
    }
    let (ticks, tick) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (rounds, round) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let ticking = Task { await self.tick(tick, after: rounds) }
    let number = pulse.add(tick, until: expiry)
    defer {
      pulse.remove(number)
      round.finish()
      ticking.cancel()
    }
    for await _ in ticks {
      let signal = pulse.take(number)
      do { try await review() } catch { return }
      let didWrite = try await writeWaiting(to: &writer)
      if !didWrite, signal == .beat { try await writer.write(ByteBuffer(string: ":\n\n")) }
      round.yield()
    }
  }

  /// Ticks whenever change sets wait, until the server stops or the space is closed. While the
  /// subscriber has not taken what waits, there is nothing to tick for: a slow one must not keep a
  /// thread busy.
  private func tick(
    _ tick: AsyncStream<Void>.Continuation,
    after rounds: AsyncStream<Void>
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [sequence] in
        var rounds = rounds.makeAsyncIterator()
        while await sequence.waitForChange() {
          tick.yield()
          guard await rounds.next() != nil else { return }
        }
      }
      group.addTask {
        // It throws when the task is cancelled.
        try? await gracefulShutdown()
      }
      // The end of any of them is the end of all.
      await group.next()
      tick.finish()
      group.cancelAll()
    }
  }

  /// Writes the change sets that wait. Returns whether there was one.
  @concurrent
  private func writeWaiting(to writer: inout any ResponseBodyWriter) async throws -> Bool {
    var didWrite = false
    while let changes = sequence.poll() {
      try await writer.write(ByteBuffer(string: try event(changes).text))
      didWrite = true
    }
    return didWrite
  }

  /// Returns the event of a change set.
  func event(_ changes: ChangeSet) throws -> FeedEvent {
    let place = changes.resumption.map { FeedPlace(space: space.id, frontier: $0) }
    let count = changes.added.count + changes.erased.count + changes.changed.count
    if count > limits.eventEntityCount, let place { return .reset(place) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = String(decoding: try encoder.encode(changes), as: UTF8.self)
    return FeedEvent(name: "changes", place: place, data: data)
  }
}

/// An event of a feed.
struct FeedEvent: Sendable, Hashable {
  let name: String
  /// The place after it; nil if it has none of its own.
  let place: FeedPlace?
  /// A JSON document on one line.
  let data: String

  /// An event that says that what a subscriber derived is not complete.
  static func reset(_ place: FeedPlace) -> FeedEvent {
    FeedEvent(name: "reset", place: place, data: "{}")
  }

  /// The event as it is sent.
  var text: String {
    "event: \(name)\n\(place.map { "id: \($0.text)\n" } ?? "")data: \(data)\n\n"
  }
}

/// The id of an event: the space, and the commits up to which a subscriber has received the
/// changes.
struct FeedPlace: Sendable, Hashable {
  let space: SpaceID
  let frontier: Frontier

  init(space: SpaceID, frontier: Frontier) {
    self.space = space
    self.frontier = frontier
  }

  /// Parses the text of a place; nil if it is anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let space = SpaceID(String(parts[0])),
      let bytes = Data(base64URL: parts[1]),
      let heads = try? Array(bytes).withUnsafeBytes({ buffer in
        var reader = ByteReader(buffer)
        let heads = try (0..<(try reader.count(unit: 49))).map { _ in try reader.commitID() }
        guard reader.isAtEnd else { throw reader.damaged("bytes follow a place") }
        return heads
      })
    else { return nil }
    self.init(space: space, frontier: Frontier(heads))
  }

  /// The place as letters, digits, hyphens, underscores and a dot.
  var text: String {
    var writer = ByteWriter()
    writer.varint(frontier.heads.count)
    for head in frontier.heads { writer.commitID(head) }
    return "\(space.text).\(Data(writer.bytes).base64URL)"
  }
}
#endif
