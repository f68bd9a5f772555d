/// Refuses what destroys others' data, where a caller may not destroy it: redactions, compactions,
/// commits of which a part was purged, and the retirement of a replica by any other. Nor may a
/// server's caller write the records of requests' outcomes.
///
/// Every log applies it to each commit that it adds and to each cell that it writes, whichever way
/// they came.
package struct Admission: Sendable {
  /// Why the caller may not.
  private enum Reason: Sendable {
    /// They are an admin, who may all but write the record of a request's outcome.
    case isAdmin
    /// They are no admin of the space that the log is.
    case isNoAdmin
    /// The log's owner is no admin of the space at an address, with which the log synchronises.
    case isBound(address: String)
  }

  private let reason: Reason
  /// The replica under which the log writes.
  private let own: ReplicaID
  /// The record of a request's outcome that the server writes for the caller.
  private let record: EntityID?
  /// Why the caller may not write the record of a request's outcome.
  private let recordReason: Reason

  /// Creates what limits a caller; nil if nothing does.
  ///
  /// - Parameters:
  ///   - own: the replica under which the log writes.
  ///   - addresses: those of the spaces with which the log synchronises, and in which its owner is no
  ///     admin.
  package init?(of caller: LogCaller, own: ReplicaID, boundTo addresses: [String]) {
    var address = addresses.first
    switch caller.power {
    case .space(let handing):
      address = addresses.first { $0 != handing }
      guard let address else { return nil }
      reason = .isBound(address: address)
    case .admin: reason = .isAdmin
    case .limited: reason = .isNoAdmin
    case .owner:
      guard let address else { return nil }
      reason = .isBound(address: address)
    }
    self.own = own
    // The space at the address would not take the record.
    record = address == nil ? caller.record : nil
    recordReason = caller.record == nil ? reason : address.map { .isBound(address: $0) } ?? reason
  }

  // MARK: Commits that were written elsewhere

  /// Throws if a commit destroys others' data.
  package func require(_ commit: Commit) throws {
    try require(commit.header)
    for block in commit.blocks { try require(block, of: commit.header) }
    // Its content is judged by members, and never destroys anything (R29).
    guard !commit.header.isForSealedSpaces else { return }
    try commit.forEachContent { content, _ in try require(content, of: commit.header) }
  }

  /// Throws if a block of a commit lacks content, or has another one than its digest says. Nothing
  /// shows which cells were removed, or that none was invented, so an admin must vouch for it.
  package func require(_ block: Block, of header: CommitHeader) throws {
    // In a sealed space the membership says what a purge left of the block.
    guard case .isNoAdmin = reason, block.isRedacted, !header.isForSealedSpaces else { return }
    throw refusal(
      "a part of it was purged, so that its content cannot be verified",
      at: header.place
    )
  }

  /// Throws if a commit redacts others.
  package func require(_ header: CommitHeader) throws {
    guard header.kind == .redactions, !isAdmin else { return }
    throw refusal("it purges or compacts", at: header.place)
  }

  /// Throws if cells of a commit retire another replica than the one that wrote it, or write the
  /// outcome of a request.
  package func require(_ content: BlockContent, of header: CommitHeader) throws {
    guard !isAdmin else { return }
    // A commit under the log's own replica came from elsewhere: it is no word of this log.
    let author = header.replica == own ? nil : header.replica
    for section in content.sections where section.concernsRetirement(of: author) {
      throw refusal("it retires another replica", at: header.place)
    }
    for section in content.sections where section.concernsRequests {
      throw refusal("it writes the outcome of a request", at: header.place)
    }
  }

  // MARK: Local writes

  /// Throws if the caller may not redact or compact.
  package func refuseForgetting() throws {
    guard !isAdmin else { return }
    throw refusal("a purge or a compaction destroys values", at: nil)
  }

  /// Throws if a cell concerns the outcome of a request or the retirement of a replica. What a
  /// caller writes here, this log's replica writes, so it is not the caller's.
  package func require(_ content: Cell.Content, of entity: EntityID) throws {
    if entity != record, content.concernsRequest(of: entity) {
      throw recordRefusal(at: "entity \(entity)")
    }
    guard !isAdmin, Section.concernsRetirement(content, of: entity, by: permitted) else { return }
    throw refusal("it retires a replica", at: "entity \(entity)")
  }

  /// Throws if creations concern the outcome of a request or the retirement of a replica.
  package func require(_ table: Creations) throws {
    let isRecord = record.map { table.ids.elementsEqual(CollectionOfOne($0)) } ?? false
    if !isRecord, Section.creations(table).concernsRequests {
      throw recordRefusal(at: "type \(table.type)")
    }
    guard !isAdmin, Section.creations(table).concernsRetirement(of: permitted) else { return }
    throw refusal("it retires a replica", at: "type \(table.type)")
  }

  /// Throws if a write of all entities of a type concerns outcomes of requests or retirements.
  package func require(_ type: EntityType) throws {
    if type == RequestRecord.entityType { throw recordRefusal(at: "type \(type)") }
    guard type == Retirement.entityType, !isAdmin else { return }
    throw refusal("it changes the retirements of replicas", at: "type \(type)")
  }

  /// The replica that local writes may retire: that of the log, if its owner writes.
  private var permitted: ReplicaID? {
    switch reason {
    case .isAdmin, .isNoAdmin: nil
    case .isBound: own
    }
  }

  private var isAdmin: Bool {
    if case .isAdmin = reason { true } else { false }
  }

  /// Returns why a local write may not concern the record of a request's outcome.
  private func recordRefusal(at place: String) -> VarveError {
    let what = "it writes the outcome of a request"
    if case .isBound = recordReason { return refusal(what, at: place, because: recordReason) }
    return VarveError(
      .forbidden,
      "\(what), which only the server does",
      at: place,
      remedy: "Choose a type other than \(RequestRecord.entityType), and an identifier that does "
        + "not begin with \(RequestRecord.prefix)."
    )
  }

  private func refusal(_ what: String, at place: String?) -> VarveError {
    refusal(what, at: place, because: reason)
  }

  private func refusal(_ what: String, at place: String?, because reason: Reason) -> VarveError {
    switch reason {
    case .isAdmin, .isNoAdmin:
      VarveError(
        .forbidden,
        "\(what), which needs the role admin in the space",
        at: place,
        remedy: "Ask an admin of the space to do it, or for that role."
      )
    case .isBound(let address):
      VarveError(
        .forbidden,
        "\(what), and this store synchronises with a space in which its token does not have the "
          + "role admin",
        at: place ?? address,
        remedy: "The space at \(address) would take neither it nor what is written after it. Ask "
          + "an admin of the space to do it there: it arrives with the next synchronisation."
      )
    }
  }
}

extension CommitHeader {
  fileprivate var place: String { "commit \(sequence) of replica \(replica)" }
}

extension Section {
  /// Returns whether cells concern the retirement of another replica than the given one.
  fileprivate func concernsRetirement(of permitted: ReplicaID?) -> Bool {
    switch self {
    case .creations(let table):
      table.type == Retirement.entityType
        ? !table.ids.allSatisfy { permitted.map(Retirement.id) == $0 }
        : table.ids.contains { $0.isRetirement(besides: permitted) }
    case .cells(let cells):
      cells.contains { Self.concernsRetirement($0.content, of: $0.entity, by: permitted) }
    }
  }

  /// Returns whether a cell concerns the retirement of another replica than the given one: its
  /// entity is one, is to be one, or owns one, with which it would live and die.
  fileprivate static func concernsRetirement(
    _ content: Cell.Content,
    of entity: EntityID,
    by permitted: ReplicaID?
  ) -> Bool {
    if entity.isRetirement(besides: permitted) { return true }
    switch content {
    case .life(.created(let type, _)), .life(.recreated(let type, _)):
      return type == Retirement.entityType && permitted.map(Retirement.id) != entity
    case .add(let relation, let target, _, _), .remove(let relation, let target, _):
      return relation.kind == .owns && target.isRetirement(besides: nil)
    case .life, .value, .removal, .collection: return false
    }
  }
}

extension EntityID {
  /// Returns whether this identifies the retirement of another replica than the given one.
  fileprivate func isRetirement(besides permitted: ReplicaID?) -> Bool {
    guard case .text(let text) = storage, text.utf8.starts(with: Retirement.prefix.utf8) else {
      return false
    }
    return permitted.map(Retirement.id) != self
  }
}
