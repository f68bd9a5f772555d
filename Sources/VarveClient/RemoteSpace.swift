/// A space of a server: where it is, and what is needed to enter.
///
/// ```swift
/// let space = RemoteSpace("http://127.0.0.1:8642/v1/spaces/hats")
/// let report = try await store.sync(with: space)
/// ```
public struct RemoteSpace: Sendable, Hashable {
  /// The address: that of the server, `/v1/spaces/`, and the name of the space.
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
  ///   - url: the address.
  ///   - token: the token; nil if the server asks for none.
  public init(_ url: String, token: String? = nil) {
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    tokens = token.map { token in Tokens { token } }
  }

  /// Creates the name of a space that is entered by tokens that end.
  ///
  /// - Parameters:
  ///   - url: the address.
  ///   - token: returns a token that is valid now.
  public init(_ url: String, token: @escaping @Sendable () async throws -> String) {
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    tokens = Tokens(token)
  }

  /// Returns the token to send.
  func token() async throws -> String? { try await tokens?.current() }
}
