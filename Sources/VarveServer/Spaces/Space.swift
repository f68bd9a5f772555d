#if Server
import VarveCore
import VarveStore
import VarveSync

/// An open space: its store, and what is known of it.
final class Space: Sendable {
  let name: SpaceName
  let id: SpaceID
  let store: Store
  /// Announces what arrives to those who follow the space.
  let announcer: SpaceAnnouncer
  /// What was handed over and not taken.
  let refused = RefusedCommits()
  /// The file of a space of a folder; nil for all others.
  private let file: SpaceFile?
  /// Whether the space is sealed: this server keeps it, and reads nothing of it.
  let isRelay: Bool
  /// Whether it is a member's store of a sealed space.
  private let isMember: Bool
  /// Whether a write is durable at a home once it returns.
  private let isAtHome: Bool

  init(name: SpaceName, store: Store, file: SpaceFile? = nil) async throws {
    self.name = name
    self.store = store
    self.file = file
    isAtHome = try await store.position() != nil
    let log = try store.readableLog()
    isRelay = log.sealing?.hasKeys == false
    isMember = log.sealing?.hasKeys == true
    id = try await log.space()
    announcer = SpaceAnnouncer(store) { [id] in
      SpacePosition(space: id, position: try await store.readableLog().end())
    }
  }

  /// What replies to those who synchronise with the space.
  func responder() throws -> SpaceResponder { SpaceResponder(try store.readableLog()) }

  /// Whether the space is where it was opened: another process may have ended it.
  var isPresent: Bool { file?.isPresent ?? true }

  /// Throws if another process has ended the space, or its file was replaced. No write is
  /// acknowledged without it.
  func requirePresent() throws { try file?.require(name, id) }

  /// Throws if the space is sealed and a request needs what is in it.
  func requireReadable() throws {
    guard isRelay else { return }
    throw VarveError(
      .unsupported,
      "the space is sealed: this server keeps it for its members, and cannot read or write it",
      at: "space \(name.text)",
      remedy: "Synchronise a member's store with it, and read and write there."
    )
  }

  /// Throws unless a request to synchronise with a sealed space comes from a store of one.
  func require(isSealed: Bool) throws {
    guard !isMember else {
      throw VarveError.notInSealedSpace("a synchronisation with a served store")
    }
    guard isRelay, !isSealed else { return }
    throw VarveError.sealingIsMissing
  }

  /// Makes what was written survive a loss of power.
  ///
  /// - Throws: as ``requirePresent()``.
  func flush() async throws {
    if !isAtHome { try await store.flush() }
    try requirePresent()
  }

  /// The place after the last arrival.
  func end() async throws -> SpacePosition {
    SpacePosition(space: id, position: try await store.readableLog().end())
  }

  /// Whether the space has everything up to a position.
  func had(_ position: SpacePosition) async throws -> Bool {
    guard position.space == id else { return false }
    let log = try store.sharedLog()
    if try await log.end() == position.position { return true }
    return try await log.arrivals(after: position.position, atMost: 1, wholeUpTo: 1) != nil
  }

  /// A text that differs whenever what can be read of the space differs: the place after the last
  /// arrival, how many commits are withheld, and what was refused.
  ///
  /// - Parameter role: the role of the reader, if what is read says it.
  func tag(for role: Role? = nil) async throws -> String {
    let log = try store.readableLog()
    let end = try await log.end()
    let withheld = try await log.withheldCommits().count
    let suffix = role.map { ".\($0.rawValue)" } ?? ""
    return "\"\(SpacePosition(space: id, position: end).text).\(withheld)\(refused.mark)\(suffix)\""
  }
}
#endif
