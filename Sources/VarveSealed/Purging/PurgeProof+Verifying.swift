package import VarveCore

extension MembershipLog {
  /// Verifies proofs: each is an admin's, and its operation names the block.
  ///
  /// - Returns: for each proof the place of its operation, by which proofs of one block are ordered; or why
  ///   it is not valid.
  /// - Complexity: O(entries + proofs).
  func verify(_ proofs: [PurgeProof]) throws -> [PurgeProof: Result<Int64, any Error>] {
    var results: [PurgeProof: Result<Int64, any Error>] = [:]
    for proof in proofs { results[proof] = .failure(proof.operationIsMissing) }
    let named = Dictionary(grouping: results.keys, by: \.operation)
    var place: Int64 = 0
    try replay { entry, state in
      for proof in named[entry.hash] ?? [] {
        results[proof] = Result {
          try proof.verify(by: entry, state)
          return place
        }
      }
      place += 1
    }
    return results
  }
}

extension PurgeProof {
  /// Verifies that the proof is an admin's and that its operation names the block.
  ///
  /// - Returns: the place of the operation in the log, by which proofs of one block are ordered.
  /// - Throws: `VarveError` with code `damaged`, or `missingDependencies` if the operation is not
  ///   here yet.
  @discardableResult
  package func verify(in log: MembershipLog) throws -> Int64 {
    guard let result = try log.verify([self])[self] else { throw operationIsMissing }
    return try result.get()
  }

  fileprivate func verify(by entry: MembershipEntry, _ state: MembershipState) throws {
    guard space == state.space else { throw invalid("it is of another space") }
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
  ///   - former: the place of the operation by which the block was replaced before.
  /// - Returns: the place to remember with the new bytes.
  /// - Throws: `VarveError` with code `damaged`, `missingDependencies`, or `forbidden` if the signer
  ///   is no admin any more.
  package func verifyReplacement(
    of digest: ContentDigest,
    with stored: [UInt8],
    after former: Int64?,
    in log: MembershipLog
  ) throws -> Int64 {
    let place = try verify(in: log)
    try requireAdmin(in: log)
    guard digest == oldDigest else { throw invalid("it is of another block") }
    try requireBytes(stored)
    guard place > former ?? -1 else { throw invalid("a later purge replaced the block before") }
    return place
  }

  /// Throws if the signer is no admin any more.
  func requireAdmin(in log: MembershipLog) throws {
    guard log.state.isAdmin(signer) else {
      throw VarveError(
        .forbidden,
        "a proof of purging is by \(signer), which is no admin any more",
        at: place,
        remedy: "Let an admin of the space purge the block again."
      )
    }
  }

  /// Throws if bytes are not those that the proof names.
  func requireBytes(_ stored: [UInt8]) throws {
    guard ContentDigest.sha256(stored) == newDigest, stored.first == SealedBlock.encoding else {
      throw invalid("the new bytes are not those that it names")
    }
  }

  private var place: String { "block \(block.index) of commit \(block.commit)" }

  fileprivate var operationIsMissing: VarveError {
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
