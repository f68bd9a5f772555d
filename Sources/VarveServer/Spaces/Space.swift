import VarveCore
import VarveStore
import VarveSync

/// An open space: its store, and what is known of it.
final class Space: Sendable {
  let name: SpaceName
  let id: SpaceID
  let store: Store

  init(name: SpaceName, store: Store) async throws {
    self.name = name
    self.store = store
    id = try await store.sharedLog().space()
  }

  /// What replies to those who synchronise with the space.
  func responder() throws -> SpaceResponder { SpaceResponder(try store.sharedLog()) }

  /// The place after the last arrival.
  func end() async throws -> SpacePosition {
    SpacePosition(space: id, position: try await store.sharedLog().end())
  }

  /// A text that differs whenever what can be read of the space differs: the place after the last
  /// arrival, and how many commits are withheld.
  func tag() async throws -> String {
    let log = try store.sharedLog()
    let end = try await log.end()
    let withheld = try await log.withheldCommits().count
    let running = String(UInt64(bitPattern: end.running), radix: 16)
    return "\"\(end.number).\(running).\(withheld)\""
  }
}
