import CPostgres
import VarveCore

/// The URL of a database, which may contain a password.
///
/// Only libpq sees the URL. What people see is ``place``, and texts that ``scrubbed(_:)`` returns.
struct PostgresAddress: Sendable, CustomStringConvertible {
  let url: String
  /// The server and the database, without names of users, passwords and options.
  let place: String
  private let secrets: [String]

  /// - Throws: ``VarveError`` with code `invalidArgument` if libpq cannot parse it. The message does
  ///   not contain the URL.
  init(_ url: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    defer { PQfreemem(message) }
    let isAddress = url.hasPrefix("postgres://") || url.hasPrefix("postgresql://")
    guard isAddress, let options = PQconninfoParse(url, &message) else {
      throw VarveError(
        .invalidArgument,
        "this is not the URL of a PostgreSQL database",
        remedy: "Write postgres://USER@HOST:PORT/DATABASE, with special characters as %XX."
      )
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
    let host = values["host"].flatMap { $0.isEmpty ? nil : $0 } ?? "localhost"
    let port = values["port"].map { ":\($0)" } ?? ""
    self.url = url
    place = "postgres://\(host)\(port)/\(values["dbname"] ?? "")"
    secrets = ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty }
  }

  /// Returns a text without the passwords of the URL.
  func scrubbed(_ text: String) -> String {
    secrets.reduce(text) { text, secret in
      text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***")
    }
  }

  var description: String { place }
}
