/// Whether a commit of a space with a membership log counts.
package enum CommitVerdict: Hashable, Sendable {
  /// It counts; in an open space, its authorship is proved.
  case accepted
  /// It does not count yet: something that decides is not here.
  case waiting(Reason)
  /// It never counts, but is kept, passed on and shown.
  case void(VoidReason)

  /// What a commit waits for.
  package enum Reason: Hashable, Sendable {
    /// A build that knows its version.
    case newerFormat
    /// The binding of its replica to a device.
    case binding
    /// A head of a removal or a checkpoint below which it may be.
    case acceptedHead
    /// A valid signature at or above it.
    case signature
    /// The entry of the membership log that it names.
    case membership
    /// Nothing: in an open space the commit counts, and its authorship is not proved.
    case proof
  }

  /// Why a commit never counts.
  package enum VoidReason: Hashable, Sendable {
    /// Its device was removed, or may only read, and the commit is beyond what was accepted.
    case removal
    /// It names no membership, or its device could not write there.
    case role
    /// No epoch was in force in the membership that it names, or another.
    case epoch
    /// Its content breaks the format.
    case content
    /// Its author voided it.
    case author
  }
}
