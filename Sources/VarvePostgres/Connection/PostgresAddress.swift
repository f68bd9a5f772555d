import CPostgres
import VarveCore

/// The URL of a database, which may contain a password.
///
/// Only libpq sees the URL. Those who run the program see ``place``, and texts that ``scrubbed(_:)``
/// returns, as causes of errors. Everyone else sees ``shown``.
struct PostgresAddress: Sendable, CustomStringConvertible {
  /// What libpq is given to connect, for each server in the order of the URL.
  let servers: [String]
  /// The time within which a server must accept a connection, if there are others.
  let patience: Duration
  /// The servers and the database, without names of users, passwords and options.
  let place: String
  private let secrets: [String]

  /// The place in errors, which callers of a server may see.
  static let shown = "the database"

  /// - Throws: `VarveError` with code `invalidArgument` if libpq cannot parse it. The message
  ///   does not contain the URL.
  init(_ url: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    defer { PQfreemem(message) }
    let isAddress = url.hasPrefix("postgres://") || url.hasPrefix("postgresql://")
    guard isAddress, !Self.isAmbiguous(url), let options = PQconninfoParse(url, &message) else {
      throw Self.isNone
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    guard (values["port"] ?? "").allSatisfy({ $0.isNumber || $0 == "," }) else {
      throw Self.isNone
    }
    let host = values["host"].flatMap { $0.isEmpty ? nil : $0 } ?? "localhost"
    let port = values["port"].map { ":\($0)" } ?? ""
    servers = Self.servers(url, values)
    patience = .seconds(max(1, values["connect_timeout"].flatMap { Int($0) } ?? 5))
    place = "postgres://\(host)\(port)/\(values["dbname"] ?? "")"
    secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
  }

  private static var isNone: VarveError {
    VarveError(
      .invalidArgument,
      "this is not the URL of a PostgreSQL database",
      remedy: "Write postgres://USER@HOST:PORT/DATABASE, with special characters of the user, the "
        + "password and the database as %XX: %40 for @, %2F for /."
    )
  }

  /// Returns whether a URL may have a character of a password where libpq sees the end of it.
  ///
  /// libpq takes what follows the first `@`, or everything if a `/` comes before it, for the host. So
  /// the rest of a password would be the name of a host, which errors show.
  private static func isAmbiguous(_ url: String) -> Bool {
    guard let start = url.firstRange(of: "://")?.upperBound else { return true }
    let rest = url[start...]
    let end = rest.firstIndex { $0 == "@" || $0 == "/" } ?? rest.endIndex
    let hasUser = end < rest.endIndex && rest[end] == "@"
    let place = hasUser ? rest[rest.index(after: end)...] : rest
    return (hasUser && rest[..<end].contains("?")) || place.prefix { $0 != "?" }.contains("@")
  }

  /// Returns what names each server alone.
  ///
  /// libpq does not limit the time for one of several servers if it is used without blocking: a
  /// machine that vanished would keep it from the others.
  private static func servers(_ url: String, _ values: [String: String]) -> [String] {
    func list(_ keyword: String) -> [String] {
      (values[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        .map { String($0) }
    }
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(hosts.count, addresses.count)
    // Only libpq can ask all servers before it settles for one.
    guard count > 1, values["target_session_attrs"] != "prefer-standby" else { return [url] }
    return (0..<count).map { number in
      var own = values
      if hosts.count == count { own["host"] = hosts[number] }
      if addresses.count == count { own["hostaddr"] = addresses[number] }
      if ports.count == count { own["port"] = ports[number] }
      return own.filter { !$0.value.isEmpty }.map { "\($0)=\(quoted($1))" }.sorted()
        .joined(separator: " ")
    }
  }

  private static func quoted(_ value: String) -> String {
    let escaped = value.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "'\(String(escaped))'"
  }

  /// Returns a text without the passwords of the URL.
  func scrubbed(_ text: String) -> String {
    secrets.reduce(text) { text, secret in
      text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***")
    }
  }

  var description: String { place }
}
