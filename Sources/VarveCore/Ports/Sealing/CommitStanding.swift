/// Whether a commit of a sealed space counts (R29).
package enum CommitStanding: Hashable, Sendable {
  /// It counts.
  case accepted
  /// It does not count yet. The text says what it waits for, in one word.
  case waiting(String)
  /// It never counts. The text says why, in one word.
  case void(String)

  /// Whether it waits for what its author does when it is handed over.
  package var isUnsigned: Bool { self == Self.unbound || self == Self.unsigned }

  /// Its replica is not bound to a device.
  package static let unbound = CommitStanding.waiting("binding")
  /// No signature covers it.
  package static let unsigned = CommitStanding.waiting("signature")
  /// This device has no key of its epoch.
  package static let keyless = CommitStanding.waiting("key")
}

/// What decides whether a commit counts.
package struct JudgedCommit: Sendable {
  package let id: CommitID
  package let header: CommitHeader
  /// Whether its content breaks a limit or a rule of the format.
  package let isInvalid: Bool

  package init(id: CommitID, header: CommitHeader, isInvalid: Bool) {
    self.id = id
    self.header = header
    self.isInvalid = isInvalid
  }
}
