#if Client || canImport(Darwin)
import Foundation
import VarveCore
public import VarveStore
import VarveSync

/// An event of the stream of a space's changes.
public struct RemoteChange: Sendable, Hashable {
  /// What happened.
  public enum Content: Sendable, Hashable {
    /// What was derived from earlier changes is not complete: read the present, and go on from
    /// here.
    case reset
    /// A transaction changed these entities.
    case changes(ChangeSet)
  }

  /// What happened.
  public let content: Content
  /// The place after it, with which a later stream continues; nil if it has none of its own.
  public let id: String?
}

/// The changes of a space of a server, as they happen. See ``RemoteSpace/changes(after:)``.
///
/// One event at a time is read from the connection, so a slow reader costs no memory here.
public struct RemoteChanges: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = RemoteChange
  /// The type of the errors.
  public typealias Failure = any Error

  fileprivate let space: RemoteSpace
  fileprivate let id: String?

  /// Creates an iterator, which connects when the first event is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(space: space, id: id) }

  /// An iterator of the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    private let space: RemoteSpace
    private var id: String?
    private var reply: CarriedReply?
    private var reader = EventReader()
    private var backoff = Backoff()

    fileprivate init(space: RemoteSpace, id: String?) {
      self.space = space
      self.id = id
    }

    /// Returns the next event. If the connection breaks, it connects again and continues after the
    /// last event.
    ///
    /// - Throws: `VarveError`: `unauthorized`, `forbidden`, `notFound` if there is no such space;
    ///   `invalidArgument` if the address names no space; `CancellationError`.
    public mutating func next() async throws -> RemoteChange? {
      try space.requireName()
      while true {
        do {
          if let event = try await event() { return event }
        } catch let error as CancellationError {
          throw error
        } catch let refusal as ServerRefusal where !refusal.isPassing {
          throw refusal.error
        } catch {
          try Task.checkCancellation()
        }
        reply = nil
        reader = EventReader()
        try await Task.sleep(for: backoff.next(atLeast: nil))
      }
    }

    /// Returns the next event of the connection; nil at its end.
    private mutating func event() async throws -> RemoteChange? {
      let transport = try await space.transport()
      if reply == nil {
        reply = try await transport.requested(
          "GET",
          "changes",
          accept: "text/event-stream",
          headers: id.map { [("Last-Event-ID", $0)] } ?? [],
          seconds: 30 * 86_400
        )
      }
      while true {
        while let event = reader.next() {
          backoff.reset()
          if let place = event.id { id = place }
          if let change = try RemoteChange(event) { return change }
        }
        guard let reply, let part = try await transport.carried({ try await reply.next() }) else {
          return nil
        }
        try reader.add(part)
      }
    }
  }
}

extension RemoteSpace {
  /// Returns the changes of the space, as they happen.
  ///
  /// The first event is a `reset`, unless the stream continues after an earlier event. Whenever a
  /// `reset` comes, read the present; later events are what changed since. An event may come twice.
  ///
  /// ```swift
  /// for try await change in space.changes() {
  ///   guard case .changes(let set) = change.content else { continue }
  ///   print(set.added, set.changed, set.erased)
  /// }
  /// ```
  ///
  /// - Parameter id: the id of the event after which to continue; nil to begin.
  public func changes(after id: String? = nil) -> RemoteChanges {
    RemoteChanges(space: self, id: id)
  }
}

extension RemoteChange {
  /// Reads an event; nil if it is of a kind that this version does not know.
  fileprivate init?(_ event: EventReader.Event) throws {
    switch event.name {
    case "reset": self.init(content: .reset, id: event.id)
    case "changes":
      let set = try JSONDecoder().decode(ChangeSet.self, from: Data(event.data.utf8))
      self.init(content: .changes(set), id: event.id)
    default: return nil
    }
  }
}

extension ServerRefusal {
  /// Whether a later attempt may succeed without anything being changed.
  fileprivate var isPassing: Bool { status >= 500 || status == 429 || status == 408 }
}
#endif
