public import Foundation

/// What a principal may do with a space; each role includes those before it.
public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Read, and fetch commits.
  case reader
  /// Write, and hand over commits.
  case writer
  /// Purge, compact, rebuild, and end the space.
  case admin

  /// Whether a role includes less than another.
  public static func < (left: Role, right: Role) -> Bool {
    let order = Role.allCases
    return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
  }
}

/// Who calls, and what they may do.
public struct Principal: Sendable, Hashable {
  /// The name under which they write; nil if the server does not ask who calls.
  public var subject: String?
  /// The roles by the names of spaces; `*` stands for every space.
  public var grants: [String: Role]
  /// Whether they may create spaces.
  public var isOperator: Bool
  /// The time at which their token ends; nil for never.
  public var expiry: Date?

  /// Creates a principal.
  public init(
    subject: String?,
    grants: [String: Role],
    isOperator: Bool = false,
    expiry: Date? = nil
  ) {
    self.subject = subject
    self.grants = grants
    self.isOperator = isOperator
    self.expiry = expiry
  }

  /// Someone on this computer who may do everything.
  static let anyone = Principal(subject: nil, grants: ["*": .admin], isOperator: true)

  /// Returns the role in a space; nil if they are no member.
  func role(in space: String) -> Role? {
    switch (grants[space], grants["*"]) {
    case (let own?, let all?): max(own, all)
    case (let own, let all): own ?? all
    }
  }
}
