import VarveCore

/// Reading and writing commits of a sealed space.
extension LogTables {
  /// The device's view of its sealed space in the open transaction; nil if the space is open.
  var sealedView: (any SealedView)? {
    get throws {
      // The log of a check is given the view.
      guard sealing != nil else { return view }
      try refresh()
      return view
    }
  }

  /// Loads the device's view of its sealed space.
  ///
  /// - Throws: ``VarveError`` with code `newerFormat` if the space is sealed and the store was opened
  ///   without a seal, or `unsupported` if it was opened with another seal than it has.
  func loadView() throws {
    view = nil
    if let kind = try storedKind() { try requireSeal(of: kind) }
    guard try connection.hasTable("varve_membership"), let last = try lastEntry() else { return }
    guard let sealing else { throw VarveError.sealingIsMissing.located(at: connection.place) }
    view = try sealing.view(endingWith: last) { try Array(entries().joined()) }
    forgetCommits()
  }

  /// Throws unless the store was opened as what it is.
  private func requireSeal(of kind: SealedStoreKind) throws {
    guard let sealing else {
      throw VarveError.sealingIsMissing.located(at: connection.place)
    }
    guard sealing.hasKeys != (kind == .member) else { return }
    let error = kind == .relay ? VarveError.storeIsRelay : .storeIsMember
    throw error.located(at: connection.place)
  }

  /// Returns the seal of a commit that is begun here; nil in a store that knows no sealed spaces.
  func seal(replica: ReplicaID, sequence: Int64) throws -> (any CommitSeal)? {
    guard sealing != nil else { return nil }
    guard let view else { throw Self.noSpaceYet }
    return try view.seal(replica: replica, sequence: sequence)
  }

  /// The error of a store that was opened for a sealed space and has none yet.
  static var noSpaceYet: VarveError {
    VarveError(
      .forbidden,
      "this store belongs to no space yet",
      at: "space",
      remedy: "Seal a new space, or join one by an invitation and synchronise."
    )
  }

  /// Adds what the seal says of a commit to its header.
  static func add(
    _ seal: any CommitSeal,
    of request: WriteRequest,
    to header: inout CommitHeader
  ) throws {
    header.extensions += try seal.fields(author: request.author, message: request.message)
    header.extensions.sort { $0.number < $1.number }
  }

  /// Gives a header its author and message, if they are sealed and this device can read them.
  ///
  /// - Returns: what opens the commit's blocks; nil if they are not sealed, or there is no key.
  func nameAuthor(of header: inout CommitHeader) throws -> (any CommitSeal)? {
    guard let seal = try sealedView?.seal(of: header) else { return nil }
    // What cannot be read is found when the commit is judged.
    if let names = try? seal.opened(authorOf: header) {
      (header.author, header.message) = names
    }
    return seal
  }

  /// Returns a commit as a member reads it; as it is stored if it is not sealed, or there is no key.
  func opened(_ commit: Commit) throws -> Commit {
    guard let seal = try sealedView?.seal(of: commit.header) else { return commit }
    let names = try seal.opened(authorOf: commit.header)
    let blocks = try commit.blocks.enumerated().map { index, block in
      try block.opened(by: seal, index: index)
    }
    return commit.opened(author: names.author, message: names.message, blocks)
  }

  /// Returns a commit for those who look at cells: as a member reads it, and without blocks if it is
  /// void or waits and cannot be read.
  func shownCommit(number n: Int64) throws -> Commit {
    let commit = try commit(number: n)
    guard try sealedView != nil else { return commit }
    if try isVoid(n) { return (try? opened(commit.with([]))) ?? commit.with([]) }
    guard try isWithheld(n) else { return try opened(commit) }
    let opened = (try? opened(commit)) ?? commit
    return opened.blocks.contains { $0.stored.first == Block.sealedEncoding }
      ? opened.with([]) : opened
  }

  /// Returns a block as a member reads it.
  func openedBlock(_ b: Int64) throws -> Block {
    let block = try storedBlock(b)
    guard block.stored.first == Block.sealedEncoding else { return block }
    let info = try commit(ofBlock: b)
    return try block.opened(by: info.seal, index: Int(b - info.n))
  }

  /// Returns the payload of a block's stored bytes.
  func payload(of stored: UnsafeRawBufferPointer, _ b: Int64) throws -> [UInt8] {
    guard stored.first == Block.sealedEncoding else { return try Block.payload(of: stored) }
    let bytes = Array(stored)
    let info = try commit(ofBlock: b)
    guard let seal = info.seal else { return try bytes.withUnsafeBytes(Block.payload) }
    return try seal.opened(bytes, index: Int(b - info.n)).withUnsafeBytes(Block.payload)
  }
}
