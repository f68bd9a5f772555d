/// What a device may do in a space; each role may do what those before it may.
public enum MemberRole: UInt8, Hashable, Sendable, CaseIterable, Comparable {
  /// It reads.
  case reader = 1
  /// It writes.
  case writer = 2
  /// It changes the membership, and destroys values.
  case admin = 3

  /// Orders by what a role may do.
  public static func < (left: MemberRole, right: MemberRole) -> Bool {
    left.rawValue < right.rawValue
  }
}
