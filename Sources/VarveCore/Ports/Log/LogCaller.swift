/// On whose behalf a task writes, or adds commits that were written elsewhere.
package struct LogCaller: Sendable, Hashable {
  /// The name under which a server knows the caller; nil if none asked who calls.
  package let subject: String?
  /// What the caller may destroy.
  package let power: Power
  /// The record of a request's outcome that the server writes with what the caller writes; nil if it
  /// writes none.
  package private(set) var record: EntityID?

  /// What a caller may destroy.
  package enum Power: Sendable, Hashable {
    /// Everything, unless the log synchronises with a space in which its owner is no admin: that
    /// space would not take it.
    case owner
    /// Everything: the space at an address hands commits over, which has decided on them itself. If the
    /// log synchronises with another space in which its owner is no admin, not what that would not take.
    case space(address: String?)
    /// Everything: an admin of the space that the log is.
    case admin
    /// Nothing that others wrote: a caller who is no admin.
    case limited
  }

  package init(_ subject: String?, _ power: Power) {
    self.subject = subject
    self.power = power
  }

  /// Returns the caller of a request whose outcome the server records.
  package func recording(_ record: EntityID) -> LogCaller {
    var caller = self
    caller.record = record
    return caller
  }

  /// A program that opened the store's file.
  package static let owner = LogCaller(nil, .owner)

  /// On whose behalf this task acts.
  @TaskLocal package static var current = owner
}
