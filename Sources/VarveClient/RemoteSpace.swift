#if Client || canImport(Darwin)
import Foundation
import VarveCore

/// A space of a server: its address and the token.
///
/// ```swift
/// let space = RemoteSpace("http://127.0.0.1:8642/hats")
/// let report = try await store.sync(with: space)
/// ```
public struct RemoteSpace: Sendable, Hashable {
  /// The whole address: that of the server, `/v1/spaces/`, and the name of the space.
  public let url: String
  /// Returns the token; nil if the server asks for none. Called before each synchronisation, and
  /// again if the server does not know the token.
  private let tokens: Tokens?
  #if canImport(Darwin)
  private var transfers: BackgroundTransfers?
  #endif

  private final class Tokens: Sendable, Hashable {
    let current: @Sendable () async throws -> String

    init(_ current: @escaping @Sendable () async throws -> String) { self.current = current }

    static func == (left: Tokens, right: Tokens) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Creates the name of a space.
  ///
  /// - Parameters:
  ///   - url: the address of the server and the name of the space, with or without `/v1/spaces`
  ///     between them, and without a password or a query.
  ///   - token: the token; nil if the server asks for none.
  public init(_ url: String, token: String? = nil) {
    self.url = Self.whole(url)
    tokens = token.map { token in Tokens { token } }
  }

  /// Creates the name of a space whose tokens expire.
  ///
  /// - Parameters:
  ///   - url: the address of the server and the name of the space, with or without `/v1/spaces`
  ///     between them.
  ///   - token: returns a token that is valid now.
  public init(_ url: String, token: @escaping @Sendable () async throws -> String) {
    self.url = Self.whole(url)
    tokens = Tokens(token)
  }

  /// Returns the whole address; the given one if it names no space.
  private static func whole(_ url: String) -> String {
    parts(of: url).map { "\($0.server)/v1/spaces/\($0.name)" } ?? url
  }

  /// Returns the parts of an address; nil if it has no host, or no path after it that names a
  /// space.
  private static func parts(of url: String) -> (server: String, name: String)? {
    var end = url.endIndex
    while end > url.startIndex, url[url.index(before: end)] == "/" { end = url.index(before: end) }
    let url = url[..<end]
    guard let scheme = url.range(of: "://"),
      let path = url[scheme.upperBound...].firstIndex(of: "/"), path > scheme.upperBound,
      !url[scheme.upperBound..<path].contains(where: { "?#@".contains($0) }),
      !url.hasSuffix("/v1"), !url.hasSuffix("/v1/spaces")
    else { return nil }
    let middle = url.range(of: "/v1/spaces/", options: .backwards, range: path..<end)
    let slash = middle?.lowerBound ?? url.lastIndex(of: "/") ?? path
    let name = url[(middle?.upperBound ?? url.index(after: slash))...]
    guard !name.isEmpty, !name.contains(where: { "?#".contains($0) }) else { return nil }
    return (String(url[..<slash]), String(name))
  }

  /// The address of the server; the whole address if it is not that of a space.
  package var server: String { Self.parts(of: url)?.server ?? url }

  /// The name of the space; nil if the address is not that of one.
  package var name: String? { Self.parts(of: url)?.name }

  /// Returns what carries requests to the space, with a token that is valid now.
  func transport() async throws -> HTTPTransport {
    try requireName()
    return HTTPTransport(SystemCarrier(), url: url, token: try await tokens?.current())
  }

  /// Returns what carries the requests of a synchronisation, with a token that is valid now.
  func exchangeTransport() async throws -> HTTPTransport {
    #if canImport(Darwin)
    if let transfers {
      try requireName()
      let carrier = BackgroundCarrier(transfers: transfers)
      return HTTPTransport(carrier, url: url, token: try await tokens?.current())
    }
    #endif
    return try await transport()
  }

  /// Throws if the address names no space. No request may leave then: its host would not be the one
  /// that the user wrote. An address with a password is refused, because addresses are shown and
  /// kept.
  func requireName() throws {
    guard name == nil else { return }
    if let at = url.firstIndex(of: "@"), let scheme = url.range(of: "://"), scheme.upperBound <= at
    {
      throw VarveError(
        .invalidArgument,
        "the address contains a user name or a password",
        at: String(url[..<scheme.upperBound] + url[url.index(after: at)...]),
        remedy: "Leave it out, and pass a token."
      )
    }
    throw VarveError(
      .invalidArgument,
      "the address names no space",
      at: url,
      remedy: "Write the address of the server and the name of the space: https://host/name."
    )
  }
}

#if canImport(Darwin)
extension RemoteSpace {
  /// Returns the space, with synchronisations whose requests the system carries, which go on while
  /// the process is suspended. Everything else goes on as before: announcements, changes, backups
  /// and grants.
  public func carried(by transfers: BackgroundTransfers) -> RemoteSpace {
    var space = self
    space.transfers = transfers
    return space
  }
}
#endif
#endif
