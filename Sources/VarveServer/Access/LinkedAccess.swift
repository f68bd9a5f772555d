import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore

/// Access for the person who started a server without configuration: a link that is printed once and
/// works once. The browser that opens it may do everything, until the server ends.
public actor LinkedAccess {
  private let tickets = Tickets()
  private var sessions: Set<ContentDigest> = []

  static let cookie = "varve-session"

  /// Creates an access without a link.
  public init() {}

  /// Returns the path of a new link.
  public func link() async throws -> String {
    // Only the person who started the server sees the link, and may open it hours later.
    "/v1/enter?ticket=\(try await tickets.make(for: .anyone, seconds: 86_400))"
  }

  /// Uses a link. Returns the secret of a new session; nil if the link is unknown or used.
  func enter(_ ticket: String) async -> String? {
    guard await tickets.use(ticket) != nil else { return nil }
    let secret = Tickets.secret()
    sessions.insert(.sha256(Array(secret.utf8)))
    return secret
  }

  /// Returns who sent a request.
  func principal(of request: Request) throws -> Principal {
    let cookies = request.headers[values: .cookie].flatMap { $0.split(separator: ";") }
    for cookie in cookies {
      let parts = cookie.split(separator: "=", maxSplits: 1).map { $0.trimmed }
      guard parts.count == 2, parts[0] == Self.cookie else { continue }
      if sessions.contains(.sha256(Array(parts[1].utf8))) { return .anyone }
    }
    throw VarveError(
      .unauthorized,
      "only the browser that opened the server's link may enter",
      remedy: "Open the link that the server printed when it started, or make tokens with varve "
        + "token create, or start it with --open."
    )
  }
}
