#if CommandLine && Server
import Foundation
import JWTKit
import VarveServer

/// An issuer of JSON Web Tokens, whose key is in a file.
struct SignedBearer {
  static let now = Date(timeIntervalSince1970: 1_790_000_000)

  let issuer: String
  private let keys: JWTKeyCollection
  private let file: String

  /// Creates an issuer with a new key.
  init(_ issuer: String = "https://login.example", key file: String) async throws {
    self.issuer = issuer
    self.file = file
    let key = ES256PrivateKey()
    keys = JWTKeyCollection()
    await keys.add(ecdsa: key)
    try Data(key.publicKey.pemRepresentation.utf8).write(to: URL(fileURLWithPath: file))
  }

  /// The reader of its tokens.
  var tokens: SignedTokens {
    SignedTokens(.file(file), issuer: issuer, audience: "varve", now: { Self.now })
  }

  /// Returns the header of a token.
  ///
  /// - Parameter grants: the grants that it states; nil for none.
  func headers(of subject: String, grants: [String: String]? = nil) async throws
    -> [String: String]
  {
    let claims = Claims(
      iss: issuer,
      sub: subject,
      exp: Self.now.timeIntervalSince1970 + 600,
      varve: grants.map { Claims.Rights(grants: $0) }
    )
    return ["Authorization": "Bearer \(try await keys.sign(claims))"]
  }

  /// Returns the header of a token whose grants are null.
  func headersWithNullGrants(of subject: String) async throws -> [String: String] {
    let claims = Claims(
      iss: issuer,
      sub: subject,
      exp: Self.now.timeIntervalSince1970 + 600,
      varve: Claims.Rights(grants: nil)
    )
    return ["Authorization": "Bearer \(try await keys.sign(claims))"]
  }

  private struct Claims: JWTPayload {
    var iss: String
    var aud = ["varve"]
    var sub: String
    var exp: Double
    var varve: Rights?

    struct Rights: Codable {
      var grants: [String: String]?

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Null is written too.
        try container.encode(grants, forKey: .grants)
      }
    }

    func verify(using algorithm: some JWTAlgorithm) {}
  }
}
#endif
