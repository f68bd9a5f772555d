#if Server
public import Foundation
import VarveCore
package import VarveJSON
public import VarveStore

/// A file of API tokens, one JSON object each: the rights of a token, and its hash. The token
/// itself is stored nowhere.
///
/// A running server notices changes of the file.
public actor TokenFile {
  /// A token as the file describes it.
  public struct Entry: Sendable, Hashable {
    /// The name by which it is listed and revoked.
    public var name: String
    /// SHA-256 of the token, in hexadecimal digits.
    public var hash: String
    /// What it may do, and under which name it writes.
    public var principal: Principal
    /// The time from which it is refused; nil for never.
    public var expiry: Date?
  }

  private let list: KeptList<Entry>
  nonisolated let now: @Sendable () -> Date
  private var entriesByHash: [String: Entry] = [:]

  /// Creates the reader of a file, which need not exist yet.
  public init(_ path: String, now: @escaping @Sendable () -> Date = { Date() }) {
    list = KeptList(.file(path), of: Self.kind) { Entry($0) }
    self.now = now
  }

  /// Creates the reader of the tokens that a home keeps for all its hosts. A token that is added or
  /// revoked is noticed within about a second. If the home cannot be reached, those known last
  /// stay.
  public init(_ home: SpaceHome, now: @escaping @Sendable () -> Date = { Date() }) {
    list = KeptList(.home(home.home, kind: Self.kind), of: Self.kind) { Entry($0) }
    self.now = now
  }

  /// Returns who bears a token; nil if it is unknown or expired.
  func principal(bearing token: String) async throws -> Principal? {
    try await refresh()
    guard let entry = entriesByHash[Self.hash(token)] else { return nil }
    if let expiry = entry.expiry, expiry <= now() { return nil }
    var principal = entry.principal
    principal.expiry = entry.expiry
    return principal
  }

  /// A number that differs whenever the file has changed.
  func revision() async -> Int {
    try? await refresh()
    return list.changeCount
  }

  /// What cannot be read of the tokens; nil if everything can.
  func fault() async -> VarveError? {
    try? await refresh()
    return list.fault
  }

  private func refresh() async throws {
    guard try await list.refresh() else { return }
    entriesByHash = Dictionary(list.entries.map { ($0.hash, $0) }) { $1 }
  }

  /// Throws if a role is granted in a space that cannot exist.
  private static func requireNames(of principal: Principal) throws {
    for name in principal.grants.keys.sorted() where name != "*" {
      _ = try SpaceName.parse(name)
    }
  }

  /// The beginning of every token, by which a leaked one is recognised.
  static let prefix = "varve_"

  // MARK: Changing

  /// Adds a token to a file, which is created if it does not exist.
  ///
  /// - Returns: the token, which cannot be retrieved later.
  /// - Throws: `VarveError`: `duplicateIdentifier` if the name is taken, `invalidArgument` if no
  ///   space can have a name that is granted, `inputOutput`.
  public static func create(
    _ name: String,
    for principal: Principal,
    expiry: Date? = nil,
    in path: String
  ) throws -> String {
    try requireNames(of: principal)
    let token = fresh()
    try change(path) { entries in
      guard !entries.contains(where: { $0.name == name }) else {
        throw VarveError(
          .duplicateIdentifier,
          "there is a token \"\(name)\" already",
          at: path,
          remedy: "Choose another name, or revoke that token first."
        )
      }
      return entries + [
        Entry(name: name, hash: hash(token), principal: principal, expiry: expiry)
      ]
    }
    return token
  }

  /// Returns a new random token.
  private static func fresh() -> String {
    var random = SystemRandomNumberGenerator()
    let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    return prefix + ContentDigest.sha256(secret).hexadecimal
  }

  /// Removes a token from a file. Returns whether there was one.
  public static func revoke(_ name: String, in path: String) throws -> Bool {
    var wasThere = false
    try change(path) { entries in
      let rest = entries.filter { $0.name != name }
      wasThere = rest.count < entries.count
      return wasThere ? rest : nil
    }
    // It may be the one that cannot be read.
    if !wasThere, let fault = try readable(path).fault { throw fault }
    return wasThere
  }

  /// Returns the tokens of a file; none if there is no file.
  ///
  /// - Throws: `VarveError`: `invalidJSON` if one of them cannot be read, `inputOutput`.
  public static func read(_ path: String) throws -> [Entry] {
    try KeptList.read(path, of: kind) { Entry($0) }
  }

  /// Returns the tokens of a file that can be read, which are those that count, and why others cannot.
  package static func readable(
    _ path: String
  ) throws -> (entries: [Entry], fault: VarveError?) {
    try KeptList.readable(path, of: kind) { Entry($0) }
  }

  private static func change(_ path: String, _ body: ([Entry]) throws -> [Entry]?) throws {
    try KeptList.change(path, of: kind, { Entry($0) }, { $0.json }, body)
  }

  fileprivate static func hash(_ token: String) -> String {
    ContentDigest.sha256(Array(token.utf8)).hexadecimal
  }
}

/// The tokens that a home keeps.
extension TokenFile {
  static let kind = "token"

  /// Adds a token to those of a home.
  ///
  /// - Returns: the token, which cannot be retrieved later.
  /// - Throws: `VarveError`: `duplicateIdentifier` if the name is taken, `invalidArgument` if no
  ///   space can have a name that is granted, `inputOutput`.
  public static func create(
    _ name: String,
    for principal: Principal,
    expiry: Date? = nil,
    at home: SpaceHome
  ) async throws -> String {
    try requireNames(of: principal)
    let token = fresh()
    let entry = Entry(name: name, hash: hash(token), principal: principal, expiry: expiry)
    guard try await home.home.add(HomeNote(kind, name, entry.json.text)) else {
      throw VarveError(
        .duplicateIdentifier,
        "there is a token \"\(name)\" already",
        at: "token \(name)",
        remedy: "Choose another name, or revoke that token first."
      )
    }
    return token
  }

  /// Removes a token from those of a home. Returns whether there was one.
  public static func revoke(_ name: String, at home: SpaceHome) async throws -> Bool {
    try await home.home.removeNote(kind, name)
  }

  /// Returns the tokens of a home.
  public static func read(at home: SpaceHome) async throws -> [Entry] {
    try await KeptList.read(home.home, kind, of: kind) { Entry($0) }
  }

  /// Returns the tokens of a home that can be read, which are those that count, and why others cannot.
  package static func readable(
    at home: SpaceHome
  ) async throws -> (entries: [Entry], fault: VarveError?) {
    try await KeptList.readable(home.home, kind, of: kind) { Entry($0) }
  }
}

extension TokenFile.Entry {
  /// The token, as a line of the file.
  package var json: JSON {
    [
      "name": .string(name), "hash": .string(hash), "subject": .optional(principal.subject),
      "grants": .object(
        principal.grants.sorted { $0.key < $1.key }.map {
          JSON.Member(name: $0.key, value: .string($0.value.rawValue))
        }
      ),
      "operator": .bool(principal.isOperator),
      "expires": .optional(expiry.flatMap { DateWriter.exact($0) }),
    ]
  }

  init?(_ json: JSON) {
    guard case .string(let name)? = json["name"], case .string(let hash)? = json["hash"],
      case .object(let members)? = json["grants"]
    else { return nil }
    var grants: [String: Role] = [:]
    for member in members {
      guard case .string(let text) = member.value, let role = Role(rawValue: text) else {
        return nil
      }
      grants[member.name] = role
    }
    var subject: String?
    if case .string(let text)? = json["subject"] { subject = text }
    var expiry: Date?
    if case .string(let text)? = json["expires"] {
      guard let date = DateReader.read(text) else { return nil }
      expiry = date
    }
    self.init(
      name: name,
      hash: hash,
      principal: Principal(
        subject: subject,
        grants: grants,
        isOperator: json["operator"] == true
      ),
      expiry: expiry
    )
  }
}
#endif
