#if CommandLine
import VarveCore
import VarveSealed
import VarveStore

extension Store {
  /// Throws unless the store is one of a sealed space, or waits to be admitted to one.
  func requireSealed(at path: String) async throws {
    guard try readableLog().sealing == nil else { return }
    throw VarveError(
      .invalidArgument,
      "the space of the store is an open one",
      at: path,
      remedy: "varve space seal seals that of a new store, and varve space join joins one."
    )
  }

  /// The error of a store that waits to be admitted.
  static func isNotAdmitted(at path: String) -> VarveError {
    VarveError(
      .forbidden,
      "the store belongs to no space yet",
      at: path,
      remedy: "Synchronise it with the store of the inviting device, or with a relay."
    )
  }

  /// What people should know of a sealed space after a synchronisation; none for an open one.
  func sealedNotes() async throws -> [String] {
    guard try readableLog().sealing?.hasKeys == true else { return [] }
    var notes = try await membership().notes
    let uncounted = try await uncountedCommits().count
    if uncounted > 0 {
      notes.append("\(counted(uncounted, "commit")) not counting: varve log says why")
    }
    return notes
  }

  /// Who signed the commits of a sealed space; nil for an open one, and for a relay.
  func sealedSignatures() async throws -> SpaceSignatures? {
    guard try readableLog().sealing?.hasKeys == true else { return nil }
    return try await signatures()
  }
}
#endif
