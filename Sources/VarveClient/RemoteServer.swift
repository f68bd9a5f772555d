#if Client || canImport(Darwin)
import Foundation
public import VarveCore

/// A server of spaces: what it has, and what can be created and ended there.
///
/// ```swift
/// let server = RemoteServer("http://127.0.0.1:8642", token: token)
/// try await server.createSpace("hats")
/// for space in try await server.spaces() { print(space.name, space.role) }
/// ```
public struct RemoteServer: Sendable {
  /// A space as the server lists it.
  public struct Listing: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// The id, which stays the same under another name and after a restore.
    public var id: String
    /// The caller's role; nil if it was not asked for.
    public var role: String?
  }

  /// What remains of a space that was ended.
  public struct Receipt: Sendable, Hashable, Codable {
    /// The name that it had.
    public var name: String
    /// The id that it had.
    public var id: String
    /// The number of its commits.
    public var commits: Int
    /// The time at which it ended, as the server writes it.
    public var time: String
    /// Who ended it; nil if the server does not ask who calls.
    public var by: String?
  }

  private struct Page: Decodable {
    var items: [Listing]
    var next: String?
  }

  /// The address, without a path.
  public let url: String
  private let token: String?

  /// Creates the name of a server.
  ///
  /// - Parameters:
  ///   - url: the address, such as `http://127.0.0.1:8642`.
  ///   - token: the token; nil if the server asks for none.
  public init(_ url: String, token: String? = nil) {
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.token = token
  }

  /// Returns a space of the server, whether or not it exists.
  public func space(_ name: String) -> RemoteSpace {
    RemoteSpace("\(url)/v1/spaces/\(name)", token: token)
  }

  /// Returns the spaces that the caller is a member of, in order of their names.
  ///
  /// - Throws: `VarveError`: `inputOutput` if the server cannot be reached, `unauthorized`,
  ///   `busy`.
  public func spaces() async throws -> [Listing] {
    var listings: [Listing] = []
    var cursor: String?
    repeat {
      let query = cursor.map { "?cursor=\($0)" } ?? ""
      let page = try await document("GET", "spaces\(query)", as: Page.self)
      listings += page.items
      cursor = page.next
    } while cursor != nil
    return listings
  }

  /// Creates a space. Does nothing if there is one with the name.
  ///
  /// - Returns: the space that has the name now.
  /// - Throws: `VarveError`: `forbidden` if the caller is no operator, `invalidArgument` for a
  ///   name that a space cannot have, and as ``spaces()``.
  @discardableResult
  public func createSpace(_ name: String) async throws -> Listing {
    try await document("PUT", "spaces/\(Self.encoded(name))", as: Listing.self)
  }

  /// Creates a relay of a sealed space, which keeps the space for its members and reads nothing of it,
  /// unless there is one with the name.
  ///
  /// - Parameters:
  ///   - name: the name of the space at the server.
  ///   - space: the id of the sealed space.
  /// - Throws: `VarveError`: `duplicateIdentifier` if another space has the name, `unsupported` if the
  ///   server keeps no sealed spaces, and as ``createSpace(_:)``.
  @discardableResult
  public func createRelay(_ name: String, of space: SpaceID) async throws -> Listing {
    try await document(
      "PUT",
      "spaces/\(Self.encoded(name))?relay=\(space.text)",
      as: Listing.self
    )
  }

  /// Ends a space: the server removes it, and its name can be used for another. Copies of it keep
  /// what they have, and send nothing to the other.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - id: the id of the space that is meant; another under the name stays.
  /// - Throws: `VarveError`: `notFound` if there is no such space or it has another id,
  ///   `forbidden` if the caller is no admin of it, and as ``spaces()``.
  @discardableResult
  public func endSpace(_ name: String, id: String) async throws -> Receipt {
    let (name, id) = (Self.encoded(name), Self.encoded(id))
    return try await document("DELETE", "spaces/\(name)?id=\(id)", as: Receipt.self)
  }

  private func document<Document: Decodable>(
    _ method: String,
    _ path: String,
    as type: Document.Type
  ) async throws -> Document {
    do {
      let transport = HTTPTransport(SystemCarrier(), url: "\(url)/v1", token: token)
      return try await transport.document(method, path, as: type)
    } catch let refusal as ServerRefusal {
      throw refusal.error
    }
  }

  /// Returns a text as a part of a path or a query.
  static func encoded(_ text: String) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_.")
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}
#endif
