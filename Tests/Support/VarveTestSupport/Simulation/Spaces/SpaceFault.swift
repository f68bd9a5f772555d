/// A mistake planted on purpose in the synchronisation with a space, which simulations must find.
package enum SpaceFault: String, Sendable, Hashable, CaseIterable {
  /// The server acknowledges commits that it has not stored.
  case acknowledgedEarly
  /// A client takes a request whose reply was lost for done.
  case failuresForgotten
  /// A client takes a reply that was cut for a whole one.
  case cutsTakenForWhole
  /// The server takes a hint for its own position of that number, whatever its hash and
  /// incarnation.
  case hintsTrusted
  /// The server goes past arrivals that it has not sent.
  case arrivalsSkipped
  /// After an interruption, a client goes on from where another client met the server.
  case cursorsKept
  /// The server takes nothing that comes with a commit that it parks.
  case parkedBlocksAll
  /// The server takes purges from those who are no admins.
  case redactionsTaken
  /// Heads are compared by number, not by hash.
  case hashesIgnored
  /// A client hands its commits to another space that got the address.
  case bindingsForgotten
  /// The server does not ask for which space a request is.
  case spacesUnnamed
}
