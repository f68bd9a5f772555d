#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// By which names a server may be called, and which web pages may call it.
///
/// A page that was given another name for this computer (DNS rebinding) sends that name, and a page
/// of another site sends its origin: both are refused unless they are listed.
public struct ServerNames: Sendable, Hashable {
  /// The names, without ports; nil for any.
  public var hosts: Set<String>?
  /// The origins of other sites whose pages may call, such as `https://app.example`.
  public var origins: Set<String>

  /// Creates names.
  public init(hosts: Set<String>? = nil, origins: Set<String> = []) {
    self.hosts = hosts
    self.origins = origins
  }

  /// The names of this computer for itself.
  static let loopback: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

  /// Throws if the server was called by a name that is not its own, or by a page of another site.
  func require(_ request: Request) throws {
    if let authority = request.head.authority, !Self.isHost(authority) {
      throw Problem(
        .badRequest,
        "invalidArgument",
        "the header Host is no host with a port",
        at: "header Host",
        remedy: "Send the host and the port of the address, such as hats.example:8642."
      )
    }
    if let hosts {
      let named = request.head.authority.map(Self.host)
      guard let named, hosts.contains(where: { $0.lowercased() == named }) else {
        throw Problem(
          .misdirectedRequest,
          "misdirected",
          "this server is not called \"\(named?.prefix(100).description ?? "")\"",
          at: "header Host",
          remedy: "Call it by one of its names: \(hosts.sorted().joined(separator: ", "))."
        )
      }
    }
    guard let origin = request.headers[.origin], !isOwn(origin, request), !isListed(origin) else {
      return
    }
    throw Problem(
      .forbidden,
      "forbidden",
      "pages of another site may not call this server",
      at: "header Origin",
      remedy: "Call it from its own pages, or let an operator add the site's origin."
    )
  }

  /// Returns whether a text is a host as `hosts` lists it: a name or an address without a port.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && isHost(text) && host(text) == text.lowercased()
  }

  /// Returns whether a text is an origin as browsers send it: a scheme, a host, and a port unless it is
  /// the scheme's own; or `null`.
  package static func isOrigin(_ text: String) -> Bool {
    guard text != "null" else { return true }
    let parts = text.lowercased().split(separator: "://", maxSplits: 1)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].utf8.allSatisfy({
        isLetterOrDigit($0) || [dot, hyphen, UInt8(ascii: "+")].contains($0)
      })
    else { return false }
    let authority = String(parts[1])
    let usual = ["http": ":80", "https": ":443"][String(parts[0])]
    return isHost(authority) && !authority.hasPrefix(":") && !authority.hasSuffix(":")
      && !(usual.map(authority.hasSuffix) ?? false)
  }

  func isListed(_ origin: String) -> Bool {
    origins.contains { $0.lowercased() == origin.lowercased() }
  }

  private func isOwn(_ origin: String, _ request: Request) -> Bool {
    let parts = origin.split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count == 2, ["http:", "https:"].contains(parts[0].lowercased()) else {
      return false
    }
    return parts[1].lowercased() == request.head.authority?.lowercased()
  }

  /// Returns whether a text is a name or an address, with or without a port. Anything more, such as
  /// a user, is read as one host by some and as another by others.
  private static func isHost(_ authority: String) -> Bool {
    var rest = authority.utf8[...]
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = rest[rest.index(after: rest.startIndex)..<end]
      guard address.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == dot }) else {
        return false
      }
      rest = rest[rest.index(after: end)...]
    } else {
      rest = rest.drop { isLetterOrDigit($0) || [dot, hyphen, underscore].contains($0) }
    }
    guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
    return rest.dropFirst().allSatisfy { (48...57).contains($0) }
  }

  private static let dot = UInt8(ascii: ".")
  private static let hyphen = UInt8(ascii: "-")
  private static let underscore = UInt8(ascii: "_")

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...122).contains(byte | 0x20)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (97...102).contains(byte | 0x20)
  }

  /// Returns a host without its port.
  private static func host(_ authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      return authority[...end].lowercased()
    }
    return (authority.split(separator: ":").first.map(String.init) ?? "").lowercased()
  }
}

extension ServerNames {
  /// What pages of a listed origin may send and read.
  private static let methods = "GET, PUT, POST, DELETE"
  private static let sent =
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, "
    + "Last-Event-ID, Range, Varve-Position, Varve-Result, Varve-Space"
  private static let read =
    "Content-Range, ETag, Idempotency-Replayed, Retry-After, Varve-Position, Varve-Result, "
    + "X-Request-Id"

  /// Returns the reply to a browser's question whether a page may send a request (CORS).
  func preflight(_ request: Request) -> Response {
    var headers: HTTPFields = [.vary: "Origin"]
    if let origin = request.headers[.origin], isListed(origin) {
      headers[.accessControlAllowOrigin] = origin
      headers[.accessControlAllowMethods] = Self.methods
      headers[.accessControlAllowHeaders] = Self.sent
      headers[.accessControlMaxAge] = "600"
    }
    return Response(status: .noContent, headers: headers)
  }

  /// Returns a reply that pages of a listed origin may read.
  func shared(_ response: Response, with request: Request) -> Response {
    guard !origins.isEmpty else { return response }
    var response = response
    response.headers.addVary("Origin")
    if let origin = request.headers[.origin], isListed(origin) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.accessControlExposeHeaders] = Self.read
    }
    return response
  }
}
#endif
