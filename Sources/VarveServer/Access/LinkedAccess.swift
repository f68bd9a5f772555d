#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore

/// Access for the person who started a server: a link that is printed once and works once. The
/// browser that opens it has the rights of the access, until the server ends.
///
/// The ticket of a link is in its fragment, which browsers send to no server and write into no log.
/// The inspector exchanges it for a session.
public actor LinkedAccess {
  private let tickets: Tickets
  private let permitted: Principal
  /// The tokens that callers without the link may have.
  nonisolated let tokens: TokenFile?
  private var sessions: Set<ContentDigest> = []

  /// The name of the cookie. Browsers send cookies to all ports of a computer, so each server has a
  /// name of its own.
  nonisolated let cookie = "varve-session-\(Tickets.secret().prefix(8))"

  /// Creates an access without a link.
  ///
  /// - Parameters:
  ///   - principal: what the browser may do; nil for everything.
  ///   - tokens: the tokens that give access as well, as soon as there are any.
  public init(for principal: Principal? = nil, tokens: TokenFile? = nil) {
    self.init(for: principal, tokens: tokens, tickets: Tickets())
  }

  init(for principal: Principal?, tokens: TokenFile? = nil, tickets: Tickets) {
    permitted = principal ?? .anyone
    self.tokens = tokens
    self.tickets = tickets
  }

  /// Returns the path and the fragment of a new link.
  public func link() async throws -> String {
    // Only the person who started the server sees the link, and may open it hours later.
    "/#enter=\(try await tickets.make(for: .anyone, seconds: 86_400))"
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
      guard parts.count == 2, parts[0] == self.cookie else { continue }
      if sessions.contains(.sha256(Array(parts[1].utf8))) { return permitted }
    }
    throw VarveError(
      .unauthorized,
      "only the browser that opened the server's link may enter",
      at: "header Cookie",
      remedy: "Open the link that the server printed when it started, or make tokens with varve "
        + "token create, or start it with --open."
    )
  }
}
#endif
