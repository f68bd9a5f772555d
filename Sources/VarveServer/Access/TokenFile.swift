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

  private enum Place {
    case file(String)
    case home(any NotedHome)
  }

  private let place: Place
  nonisolated let now: @Sendable () -> Date
  /// How often the file was found changed.
  private var changeCount = 0
  private var entries: [String: Entry] = [:]
  private var version: FileVersion?
  /// The look at the home that is under way.
  private var look: Task<[Entry], any Error>?
  /// The time of the last look at the home.
  private var lookTime: ContinuousClock.Instant?

  /// Creates the reader of a file, which need not exist yet.
  public init(_ path: String, now: @escaping @Sendable () -> Date = { Date() }) {
    place = .file(path)
    self.now = now
  }

  /// Creates the reader of the tokens that a home keeps for all its hosts. A token that is added or
  /// revoked is noticed within about a second. If the home cannot be reached, those known last stay.
  public init(_ home: SpaceHome, now: @escaping @Sendable () -> Date = { Date() }) {
    place = .home(home.home)
    self.now = now
  }

  /// Returns who bears a token; nil if it is unknown or expired.
  func principal(bearing token: String) async throws -> Principal? {
    try await refresh()
    guard let entry = entries[Self.hash(token)] else { return nil }
    if let expiry = entry.expiry, expiry <= now() { return nil }
    var principal = entry.principal
    principal.expiry = entry.expiry
    return principal
  }

  /// A number that differs whenever the file has changed.
  func revision() async -> Int {
    try? await refresh()
    return changeCount
  }

  private func refresh() async throws {
    switch place {
    case .file(let path):
      let present = FileVersion(path)
      guard present != version else { return }
      set(try Self.read(path))
      version = present
    case .home(let home): try await refresh(from: home)
    }
  }

  private func set(_ read: [Entry]) {
    let new = Dictionary(read.map { ($0.hash, $0) }) { $1 }
    guard new != entries || changeCount == 0 else { return }
    entries = new
    changeCount += 1
  }

  /// The time for which the home's tokens are taken as known.
  private static let homeInterval = Duration.seconds(1)

  private func refresh(from home: any NotedHome) async throws {
    let age = lookTime.map { ContinuousClock.now - $0 }
    guard age.map({ $0 >= Self.homeInterval }) ?? true else { return }
    let task = look ?? Task { try await TokenFile.read(home) }
    look = task
    defer { if look == task { look = nil } }
    do {
      set(try await task.value)
    } catch  where lookTime != nil {
      // What was known stays.
    }
    lookTime = .now
  }

  /// The beginning of every token, by which a leaked one is recognised.
  static let prefix = "varve_"

  // MARK: Changing

  /// Adds a token to a file, which is created if it does not exist.
  ///
  /// - Returns: the token, which cannot be retrieved later.
  /// - Throws: ``VarveError``: `duplicateIdentifier` if the name is taken, `inputOutput`.
  public static func create(
    _ name: String,
    for principal: Principal,
    expiry: Date? = nil,
    in path: String
  ) throws -> String {
    var entries = try read(path)
    guard !entries.contains(where: { $0.name == name }) else {
      throw VarveError(
        .duplicateIdentifier,
        "there is a token \"\(name)\" already",
        at: path,
        remedy: "Choose another name, or revoke that token first."
      )
    }
    let token = fresh()
    entries.append(Entry(name: name, hash: hash(token), principal: principal, expiry: expiry))
    try write(entries, to: path)
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
    let entries = try read(path)
    let rest = entries.filter { $0.name != name }
    guard rest.count < entries.count else { return false }
    try write(rest, to: path)
    return true
  }

  /// Returns the tokens of a file; none if there is no file.
  public static func read(_ path: String) throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw VarveError(.inputOutput, "the tokens cannot be read", at: path)
    }
    return try bytes.split(separator: 0x0A).enumerated().map { index, line in
      guard let json = try? JSONReader.read(bytes: Array(line)), let entry = Entry(json) else {
        throw VarveError(
          .invalidJSON,
          "a line of the tokens cannot be read",
          at: "\(path), line \(index + 1)",
          remedy: "Remove the line, and create another token for its bearer."
        )
      }
      return entry
    }
  }

  private static func write(_ entries: [Entry], to path: String) throws {
    let text = entries.map { $0.json.text + "\n" }.joined()
    let temporary = "\(path).\(UUID().uuidString)"
    // Only the owner may read it, from the beginning.
    let isWritten = FileManager.default.createFile(
      atPath: temporary,
      contents: Data(text.utf8),
      attributes: [.posixPermissions: 0o600]
    )
    guard isWritten, rename(temporary, path) == 0 else {
      try? FileManager.default.removeItem(atPath: temporary)
      throw VarveError(
        .inputOutput,
        "the tokens cannot be written",
        at: path,
        remedy: "Check the folder and its permissions."
      )
    }
  }

  fileprivate static func hash(_ token: String) -> String {
    ContentDigest.sha256(Array(token.utf8)).hexadecimal
  }
}

/// The tokens that a home keeps.
extension TokenFile {
  private static let kind = "token"

  /// Adds a token to those of a home.
  ///
  /// - Returns: the token, which cannot be retrieved later.
  /// - Throws: ``VarveError``: `duplicateIdentifier` if the name is taken, `inputOutput`.
  public static func create(
    _ name: String,
    for principal: Principal,
    expiry: Date? = nil,
    at home: SpaceHome
  ) async throws -> String {
    let token = fresh()
    let entry = Entry(name: name, hash: hash(token), principal: principal, expiry: expiry)
    guard try await home.home.add(HomeNote(kind, name, entry.json.text)) else {
      throw VarveError(
        .duplicateIdentifier,
        "there is a token \"\(name)\" already",
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
    try await read(home.home)
  }

  fileprivate static func read(_ home: any NotedHome) async throws -> [Entry] {
    try await home.notes(kind).map { note in
      guard let json = try? JSONReader.read(note.text), let entry = Entry(json) else {
        throw VarveError(
          .invalidJSON,
          "the token \"\(note.name)\" of the home cannot be read",
          remedy: "Revoke it, and create another token for its bearer."
        )
      }
      return entry
    }
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

  fileprivate init?(_ json: JSON) {
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
