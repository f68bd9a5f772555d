#if Server
public import Foundation
import VarveCore

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
  /// Who vouches for the subject; nil for the server itself. Two issuers may use one name for two
  /// people.
  public var issuer: String?
  /// The roles by the names of spaces; `*` stands for every space.
  public var grants: [String: Role]
  /// The roles that the server keeps for them.
  var keptRoles: [KeptRole] = []
  /// Whether their token states what they may do; otherwise the server keeps their roles.
  var hasStatedGrants = true
  /// How they get a role that they lack; nil for the usual way, which is to ask.
  var roleRemedy: String?
  /// Whether they may create spaces.
  public var isOperator: Bool
  /// The time at which their token ends; nil for never.
  public var expiry: Date?

  /// Creates a principal.
  public init(
    subject: String?,
    grants: [String: Role],
    isOperator: Bool = false,
    expiry: Date? = nil,
    issuer: String? = nil
  ) {
    self.subject = subject
    self.issuer = issuer
    self.grants = grants
    self.isOperator = isOperator
    self.expiry = expiry
  }

  /// Someone on this computer who may do everything.
  static let anyone = Principal(subject: nil, grants: ["*": .admin], isOperator: true)

  /// Returns the role in a space; nil if they are no member.
  func role(in space: SpaceName, _ id: SpaceID) -> Role? {
    role(in: space.text) { $0.id == id }
  }

  /// Returns the greatest role that they may have in the space of a name, whichever id it has; nil
  /// if they are no member.
  func role(inAnySpaceNamed name: String) -> Role? { role(in: name) { _ in true } }

  private func role(in name: String, _ isMeant: (KeptRole) -> Bool) -> Role? {
    let kept = keptRoles.filter { $0.space.text == name && isMeant($0) }.map(\.role).max()
    return [grants[name], grants["*"], kept].compactMap { $0 }.max()
  }

  /// The subject with its issuer; nil unless an issuer vouches for it.
  var holder: KeptRole.Holder? {
    guard let issuer, let subject else { return nil }
    return KeptRole.Holder(issuer: issuer, subject: subject)
  }

  /// A text for the subject that no other has; nil if the server does not ask who calls.
  var account: String? {
    holder.map { "\($0.issuer)\u{0}\($0.subject)" } ?? subject
  }
}
#endif
