import Foundation

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
  ///     between them.
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

  private static func whole(_ url: String) -> String {
    let url = url.hasSuffix("/") ? String(url.dropLast()) : url
    guard !url.contains("/v1/spaces/"), let slash = url.lastIndex(of: "/") else { return url }
    return url[..<slash] + "/v1/spaces" + url[slash...]
  }

  /// The address of the server; the whole address if it is not that of a space.
  var server: String {
    url.range(of: "/v1/spaces/", options: .backwards).map { String(url[..<$0.lowerBound]) } ?? url
  }

  /// The name of the space; nil if the address is not that of one.
  var name: String? {
    url.range(of: "/v1/spaces/", options: .backwards).map { String(url[$0.upperBound...]) }
  }

  /// Returns the token to send.
  func token() async throws -> String? { try await tokens?.current() }
}
