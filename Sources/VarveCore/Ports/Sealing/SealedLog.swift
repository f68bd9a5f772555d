/// The part of a log that a sealed space needs.
package protocol SealedLog: Sendable {
  /// The cryptography of the log's sealed space; nil for a log of an open one.
  var sealing: (any SpaceSealing)? { get }

  /// Calls a closure with what the log keeps beside the commits, in a transaction that is rolled back
  /// if it throws.
  func atDesk<Result: Sendable>(_ body: (any SealedDesk) throws -> Result) async throws -> Result

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

  package func standings() async throws -> [CommitID: CommitStanding] { [:] }
}

extension VarveError {
  /// The error of a store that meets a sealed space and was opened without a seal.
  package static var sealingIsMissing: VarveError {
    VarveError(
      .newerFormat,
      "the space is sealed, and the store was opened without a seal",
      remedy: "Open the store in a program that uses the product VarveSealed. "
        + "The command line does not support sealed spaces yet."
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
