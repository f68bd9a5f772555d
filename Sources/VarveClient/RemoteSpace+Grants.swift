#if Client || canImport(Darwin)
import Foundation
import VarveCore

/// The roles that the server keeps for subjects of signed tokens. Only admins of the space may see
/// and change them.
extension RemoteSpace {
  /// A role in the space, granted to a subject of signed tokens.
  public struct Grant: Sendable, Hashable, Codable {
    /// The subject, as the tokens name it.
    public var subject: String
    /// Who signs the tokens.
    public var issuer: String
    /// The role: `reader`, `writer` or `admin`.
    public var role: String
    /// Who granted it; nil if the server does not ask who calls.
    public var by: String?
    /// The time at which it was granted, as the server writes it.
    public var time: String
  }

  private struct List: Decodable {
    var items: [Grant]
  }

  private struct Request: Encodable {
    var subject: String
    var role: String
    var issuer: String?
  }

  /// Returns the grants, in order of issuers and subjects.
  ///
  /// - Throws: `VarveError`: `forbidden` if the caller is no admin, `unauthorized`, `notFound`,
  ///   `inputOutput` if the server cannot be reached, `busy`.
  public func grants() async throws -> [Grant] {
    try await grantDocument("GET", as: List.self).items
  }

  /// Grants a role to a subject, in place of the role that it has.
  ///
  /// - Parameters:
  ///   - role: `reader`, `writer` or `admin`.
  ///   - subject: the subject, as the tokens name it.
  ///   - issuer: who signs the tokens; nil for the issuer whose tokens the server accepts.
  /// - Throws: `VarveError`: `invalidArgument` if the role is unknown or the server does not
  ///   accept tokens of the issuer, and as ``grants()``.
  @discardableResult
  public func grant(
    _ role: String,
    to subject: String,
    of issuer: String? = nil
  ) async throws -> Grant {
    let request = Request(subject: subject, role: role, issuer: issuer)
    let body = Array(try JSONEncoder().encode(request))
    return try await grantDocument("POST", body, as: Grant.self)
  }

  /// Revokes the role of a subject. Its open streams end.
  ///
  /// - Parameters:
  ///   - subject: the subject, as the tokens name it.
  ///   - issuer: who signs the tokens; nil for the issuer whose tokens the server accepts.
  /// - Throws: `VarveError`: `notFound` if the subject has no role, and as ``grants()``.
  @discardableResult
  public func revokeGrant(of subject: String, issuer: String? = nil) async throws -> Grant {
    var query = "?subject=\(RemoteServer.encoded(subject))"
    if let issuer { query += "&issuer=\(RemoteServer.encoded(issuer))" }
    return try await grantDocument("DELETE", query: query, as: Grant.self)
  }

  private func grantDocument<Document: Decodable>(
    _ method: String,
    _ body: [UInt8]? = nil,
    query: String = "",
    as type: Document.Type
  ) async throws -> Document {
    do {
      return try await transport().document(method, "grants\(query)", body, as: type)
    } catch let refusal as ServerRefusal {
      throw refusal.error
    }
  }
}
#endif
