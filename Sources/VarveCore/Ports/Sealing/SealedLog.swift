/// The part of a log that a sealed space needs.
package protocol SealedLog: Sendable {
  /// The cryptography of the log's sealed space; nil for a log of an open one.
  var sealing: (any SpaceSealing)? { get }

  /// Calls a closure with what the log keeps beside the commits, in a transaction that is rolled back
  /// if it throws.
  func atDesk<Result: Sendable>(_ body: (any SealedDesk) throws -> Result) async throws -> Result

  /// Calls a closure with what the log keeps beside the commits, which it only reads.
  func readingDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result

  /// Returns the verdicts of all commits that are not accepted (R29).
  func standings() async throws -> [CommitID: CommitStanding]
}

/// A log that knows no sealed spaces.
extension SealedLog {
  package var sealing: (any SpaceSealing)? { nil }

  package func atDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    throw VarveError.sealingIsMissing
  }

  package func readingDesk<Result: Sendable>(
    _ body: (any SealedDesk) throws -> Result
  ) async throws -> Result {
    throw VarveError.sealingIsMissing
  }

  package func standings() async throws -> [CommitID: CommitStanding] { [:] }
}

extension VarveError {
  /// The error of a store that meets a sealed space and was opened without a seal.
  package static var sealingIsMissing: VarveError {
    VarveError(
      .newerFormat,
      sealingIsMissingMessage,
      remedy: "Open the store with a seal, by the product VarveSealed. On the command line, name "
        + "the folder of its keys by --keys or VARVE_KEYS."
    )
  }

  private static let sealingIsMissingMessage =
    "the space is sealed, and the store was opened without a seal"

  /// Whether it is the error of a store of a sealed space that was opened without a seal.
  package var saysSealingIsMissing: Bool {
    code == .newerFormat && message == Self.sealingIsMissingMessage
  }

  /// The error of a relay's store that was opened with keys.
  package static var storeIsRelay: VarveError {
    VarveError(
      .unsupported,
      "the store is a relay's, and was opened with keys",
      remedy: "Open it as a relay, and read and write the space in the store of a member."
    )
  }

  /// The error of a member's store that was opened as a relay.
  package static var storeIsMember: VarveError {
    VarveError(
      .unsupported,
      storeIsMemberMessage,
      remedy: "Open it with the keys of its device. For a relay, make a new store."
    )
  }

  private static let storeIsMemberMessage =
    "the store is a member's of a sealed space, and was opened as a relay"

  /// Whether it is the error of a member's store that was opened as a relay.
  package var saysStoreIsMember: Bool {
    code == .unsupported && message == Self.storeIsMemberMessage
  }

  /// The error of a relay's index that was opened without the home. A membership that is ordered there and
  /// here would fork.
  package static var relayIsElsewhere: VarveError {
    VarveError(
      .unsupported,
      "the file is the index of a relay whose home is a database",
      remedy: "Serve the home: varve serve --home URL --cache FOLDER. If the database is lost, "
        + "varve home move gives a new one all that the file has."
    )
  }

  /// The error of a commit that was written in the open and comes to a sealed space. Kept, it would be
  /// passed on as it is, for everyone to read.
  package static func openInSealedSpace(_ commit: Commit) -> VarveError {
    VarveError(
      .unsupported,
      "the commit was written in the open, and the space is sealed",
      at: "commit \(commit.header.sequence) of replica \(commit.header.replica)",
      remedy:
        "Export the other store in the normalized form, and load that: its values are written "
        + "anew, and sealed."
    )
  }

  /// The error of two stores, of which one belongs to a sealed space.
  package static var sealedMeetsOpen: VarveError {
    VarveError(
      .unsupported,
      "one of the stores has a seal, and the other is of an open space",
      remedy:
        "A new store joins the sealed space by an invitation, or is a backup of one that belongs to it. "
        + "To add what an open store has, export it in the normalized form, and load that."
    )
  }

  /// The error of an operation that sealed spaces do not have.
  package static func notInSealedSpace(_ what: String) -> VarveError {
    VarveError(
      .unsupported,
      "\(what) is not possible in a sealed space",
      remedy: "Documentation/Security.md lists what this version cannot do in sealed spaces."
    )
  }
}
