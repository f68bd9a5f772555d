public import VarveCore
public import VarveEntities

/// Who signed the commits of a sealed space, and which of them count (R29).
public struct SpaceSignatures: Sendable {
  private let devices: [ReplicaID: String]
  private let uncounted: [CommitID: CommitStanding]
  /// The newest number of each replica that a signature covers.
  private let covered: [ReplicaID: Int64]

  init(
    _ replicas: [ReplicaID: DeviceID],
    heads: [SignedHead],
    uncounted: [CommitID: CommitStanding]
  ) {
    devices = replicas.mapValues(\.digest.hexadecimal)
    self.uncounted = uncounted
    var covered: [ReplicaID: Int64] = [:]
    for head in heads {
      covered[head.commit.replica] = max(covered[head.commit.replica] ?? 0, head.commit.sequence)
    }
    self.covered = covered
  }

  /// Returns who signed a commit of this store, and whether it counts.
  public func signature(of commit: CommitID) -> CommitSignature {
    let device = devices[commit.replica]
    switch uncounted[commit] ?? .accepted {
    case .waiting(let reason): return CommitSignature(.waiting, device, reason)
    case .void(let reason): return CommitSignature(.void, device, reason)
    case .accepted where commit.sequence <= covered[commit.replica] ?? 0:
      return CommitSignature(.signed, device, nil)
    case .accepted: return CommitSignature(.unsigned, device, nil)
    }
  }
}

/// Who signed a commit, and whether it counts (R29).
public struct CommitSignature: Sendable, Hashable {
  /// Whether a commit is signed, and counts.
  public enum Standing: String, Sendable, Hashable, CaseIterable {
    /// A device that might write it signed it. It counts.
    case signed
    /// It was written here, counts here, and is signed when it is handed over.
    case unsigned
    /// It does not count yet.
    case waiting
    /// It never counts.
    case void
  }

  /// Whether the commit is signed, and counts.
  public let standing: Standing
  /// The device to which the commit's replica is bound, as in ``SpaceMember/id``; nil if it is bound to
  /// none.
  public let device: String?
  /// What the commit waits for, or why it is void, in one word, as in Documentation/Security.md.
  public let reason: String?

  init(_ standing: Standing, _ device: String?, _ reason: String?) {
    self.standing = standing
    self.device = device
    self.reason = reason
  }
}

extension Store {
  /// Returns who signed the commits of the space, and which of them count. The store may be read-only.
  ///
  /// ```swift
  /// let signatures = try await store.signatures()
  /// for commit in try await store.log() {
  ///   print(commit.id, signatures.signature(of: commit.id).standing)
  /// }
  /// ```
  ///
  /// - Throws: `VarveError`: `newerFormat` if the store was opened without
  ///   ``Store/Configuration/seal``, `forbidden` for a relay; `closed`, `busy`.
  /// - Complexity: O(commits that do not count), and O(chains).
  public func signatures() async throws -> SpaceSignatures {
    let sealing = try sealing("judge commits")
    guard sealing.keeper != nil else { throw Self.isRelay("judge commits") }
    let uncounted = try await backend.standings()
    return try await readableLog().readingDesk { desk in
      SpaceSignatures(
        try sealing.memberView(at: desk)?.log.state.replicas ?? [:],
        heads: try desk.signatures.map { try SignedHead(encoded: $0) },
        uncounted: uncounted
      )
    }
  }
}
