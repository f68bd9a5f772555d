package import VarveCore

extension PurgeProof {
  /// Verifies that the proof is an admin's and that its operation names the block.
  ///
  /// - Returns: the number of the operation's entry, by which proofs of one block are ordered.
  /// - Throws: `VarveError` with code `damaged`, or `missingDependencies` if the operation is not
  ///   here yet.
  @discardableResult
  package func verify(in log: MembershipLog) throws -> Int64 {
    guard space == log.state.space else { throw invalid("it is of another space") }
    guard log.contains(operation) else { throw operationIsMissing }
    var number: Int64?
    try log.replay { entry, state in
      guard entry.hash == operation else { return }
      try verify(by: entry, state)
      number = entry.number
    }
    guard let number else { throw operationIsMissing }
    return number
  }

  private func verify(by entry: MembershipEntry, _ state: MembershipState) throws {
    let isNamed =
      switch entry.operation {
      case .redact(let blocks, _): blocks.contains(block)
      case .compact(let horizon):
        horizon.frontier.heads.contains {
          $0.replica == block.commit.replica && $0.sequence >= block.commit.sequence
        }
      default: false
      }
    guard isNamed else { throw invalid("its operation does not name the block") }
    guard state.isAdmin(signer), let keys = state.keys(of: signer), isSigned(by: keys) else {
      throw invalid("its signature is not an admin's")
    }
  }

  /// Verifies that a relay may replace a block.
  ///
  /// - Parameters:
  ///   - digest: the block's digest, as its commit covers it.
  ///   - stored: the new stored bytes.
  ///   - former: the number of the operation by which the block was replaced before.
  /// - Returns: the number to remember with the new bytes.
  /// - Throws: `VarveError` with code `damaged`, `missingDependencies`, or `forbidden` if the signer
  ///   is no admin any more.
  package func verifyReplacement(
    of digest: ContentDigest,
    with stored: [UInt8],
    after former: Int64?,
    in log: MembershipLog
  ) throws -> Int64 {
    let number = try verify(in: log)
    guard log.state.isAdmin(signer) else {
      throw VarveError(
        .forbidden,
        "a proof of purging is by \(signer), which is no admin any more",
        at: place,
        remedy: "Let an admin of the space purge the block again."
      )
    }
    guard digest == oldDigest else { throw invalid("it is of another block") }
    guard ContentDigest.sha256(stored) == newDigest, stored.first == SealedBlock.encoding else {
      throw invalid("the new bytes are not those that it names")
    }
    guard number > former ?? -1 else { throw invalid("a later purge replaced the block before") }
    return number
  }

  private var place: String { "block \(block.index) of commit \(block.commit)" }

  private var operationIsMissing: VarveError {
    VarveError(
      .missingDependencies,
      "the membership operation of a proof of purging is not here",
      at: place,
      remedy: "Fetch the membership first."
    )
  }

  private func invalid(_ why: String) -> VarveError {
    StrictReading.damaged("a proof of purging", why, at: place)
  }
}
