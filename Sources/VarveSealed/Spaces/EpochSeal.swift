import VarveCore

/// What seals and opens the parts of a commit, under the key of its epoch.
struct EpochSeal: CommitSeal {
  let key: EpochKey
  let replica: ReplicaID
  let sequence: Int64
  let membershipHead: ContentDigest

  func fields(author: String, message: String) throws -> [CommitHeader.Extension] {
    var random = Randomness()
    let names = SealedAuthor(author: author, message: message)
    return SealedCommitFields(
      epoch: key.number,
      sealedAuthor: try names.sealed(
        space: key.space,
        replica: replica,
        sequence: sequence,
        under: key,
        using: &random
      ),
      membershipHead: membershipHead
    ).extensions
  }

  func sealed(_ stored: [UInt8], index: Int) throws -> [UInt8] {
    var random = Randomness()
    return try SealedBlock.seal(stored, at: place(index), under: key, using: &random)
  }

  func opened(_ stored: [UInt8], index: Int) throws -> [UInt8] {
    try SealedBlock.open(stored, at: place(index), under: key)
  }

  func opened(authorOf header: CommitHeader) throws -> (author: String, message: String) {
    let fields = try SealedCommitFields(header.extensions, kind: header.kind.rawValue)
    let names = try SealedAuthor(
      opening: fields.sealedAuthor,
      space: key.space,
      replica: replica,
      sequence: sequence,
      under: key
    )
    return (names.author, names.message)
  }

  private func place(_ index: Int) -> SealedBlock.Place {
    SealedBlock.Place(space: key.space, replica: replica, sequence: sequence, index: index)
  }
}
