#if Server
public import Foundation
import JWTKit
import VarveCore
import VarveJSON

/// Reads JSON Web Tokens: who bears one that a known key has signed for this server, and what they
/// may do.
///
/// The claims are `iss`, `aud`, `sub` and `exp`, which must be there, `nbf`, and `varve`:
///
/// ```json
/// {"iss": "https://login.example", "aud": "varve", "sub": "ben", "exp": 1790000000,
///  "varve": {"grants": {"hats": "writer"}, "operator": false}}
/// ```
///
/// A token without `grants` has the roles that the server keeps for its subject.
public actor SignedTokens {
  /// The algorithms of a signature that can be accepted.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
  }

  /// Where the keys are.
  public enum Keys: Sendable, Hashable {
    /// A file with a public key as PEM, or a set of keys as JSON (RFC 7517). Changes are noticed.
    case file(String)
    /// The address of a set of keys as JSON.
    case url(String)

    fileprivate var isAddress: Bool {
      if case .url = self { true } else { false }
    }
  }

  private let source: KeySource
  /// Whether the keys are at an address.
  nonisolated let isFetched: Bool
  nonisolated let issuer: String
  private let audience: String
  private let algorithms: Set<Algorithm>
  nonisolated let now: @Sendable () -> Date

  /// The most bytes of a token.
  private static let maximumByteCount = 8 << 10

  /// Creates the reader of tokens.
  ///
  /// - Parameters:
  ///   - keys: where the keys are.
  ///   - issuer: the only accepted `iss`.
  ///   - audience: what `aud` must contain.
  ///   - algorithms: the accepted algorithms; a key is used with its own only.
  ///   - now: the clock.
  public init(
    _ keys: Keys,
    issuer: String,
    audience: String,
    algorithms: Set<Algorithm> = Set(Algorithm.allCases),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      KeySource(keys),
      isFetched: keys.isAddress,
      issuer: issuer,
      audience: audience,
      algorithms: algorithms,
      now: now
    )
  }

  /// Creates the reader of tokens, with keys that are fetched by other means than HTTP.
  ///
  /// - Parameters:
  ///   - refetchPause: the shortest time between two attempts to fetch them.
  ///   - fetch: fetches what is at an address.
  package init(
    _ keys: Keys,
    issuer: String,
    audience: String,
    now: @escaping @Sendable () -> Date,
    refetchPause: Duration,
    fetch: @escaping @Sendable (String) async throws -> [UInt8]
  ) {
    self.init(
      KeySource(keys, pause: refetchPause, fetch: fetch),
      isFetched: keys.isAddress,
      issuer: issuer,
      audience: audience,
      algorithms: Set(Algorithm.allCases),
      now: now
    )
  }

  private init(
    _ source: KeySource,
    isFetched: Bool,
    issuer: String,
    audience: String,
    algorithms: Set<Algorithm>,
    now: @escaping @Sendable () -> Date
  ) {
    self.source = source
    self.isFetched = isFetched
    self.issuer = issuer
    self.audience = audience
    self.algorithms = algorithms
    self.now = now
  }

  /// Returns who bears a token; nil if it is not a valid one.
  ///
  /// - Throws: `VarveError` with code `busy` if the keys cannot be had.
  func principal(bearing token: String) async throws -> Principal? {
    guard token.utf8.count <= Self.maximumByteCount, let header = Header(of: token),
      header.crit == nil, TokenPart.areUnambiguous(token),
      let algorithm = Algorithm(rawValue: header.alg),
      algorithms.contains(algorithm)
    else { return nil }
    for key in try await source.keys(named: header.kid) where key.algorithm == algorithm {
      if let claims = try? await key.verifier.verify(token, as: Claims.self) {
        return principal(claims)
      }
    }
    return nil
  }

  /// Reads or fetches the keys for the first time.
  func prepare() async throws { try await source.prepare() }

  /// Why the keys cannot be had anew; nil if they can.
  func fault() async -> VarveError? {
    _ = await source.revision()
    return await source.fault
  }

  /// A number that differs whenever other keys are accepted.
  func revision() async -> Int { await source.revision() }

  private func principal(_ claims: Claims) -> Principal? {
    let time = now().timeIntervalSince1970
    guard claims.iss == issuer, claims.aud.texts.contains(audience), !claims.sub.isEmpty,
      time < claims.exp, claims.exp <= Self.latestEnd, (claims.nbf ?? 0) <= time + Self.leeway
    else { return nil }
    var grants: [String: Role] = [:]
    for (space, text) in claims.varve?.grants ?? [:] {
      // A role that is not known permits nothing, and the other grants still count.
      if let role = Role(rawValue: text) { grants[space] = role }
    }
    var principal = Principal(
      subject: claims.sub,
      grants: grants,
      isOperator: claims.varve?.operator ?? false,
      expiry: Date(timeIntervalSince1970: claims.exp),
      issuer: claims.iss
    )
    principal.hasStatedGrants = claims.varve?.statesGrants ?? false
    return principal
  }

  /// The end of the year 9999: a later end is no date, but a mistake.
  private static let latestEnd = 253_402_300_799.0

  /// The number of seconds by which the issuer's clock may be ahead.
  private static let leeway = 30.0
}

/// The header of a token, as far as it decides how the signature is verified.
private struct Header: Decodable {
  let alg: String
  let kid: String?
  let crit: [String]?

  init?(of token: String) {
    guard let parts = TokenPart.all(of: token),
      let header = try? JSONDecoder().decode(Header.self, from: Data(parts[0]))
    else { return nil }
    self = header
  }
}

/// The header and the claims of a token, as bytes.
private enum TokenPart {
  /// Returns both; nil if the text is no token.
  static func all(of token: String) -> [[UInt8]]? {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let decoded = parts.compactMap { String($0).flatMap { Data(base64URL: $0) } }
    guard decoded.count == parts.count else { return nil }
    return decoded.prefix(2).map(Array.init)
  }

  /// Returns whether both are JSON without a repeated name: readers differ on which value counts.
  static func areUnambiguous(_ token: String) -> Bool {
    all(of: token)?.allSatisfy { (try? JSONReader.read(bytes: $0)) != nil } ?? false
  }
}

/// The claims of a token.
private struct Claims: JWTPayload {
  let iss: String
  let aud: Texts
  let sub: String
  let exp: Double
  let nbf: Double?
  let varve: Rights?

  struct Rights: Codable {
    let grants: [String: String]?
    let `operator`: Bool?
    /// Whether the member is there, even if it is null.
    let statesGrants: Bool

    private enum CodingKeys: String, CodingKey {
      case grants
      case `operator`
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      grants = try container.decodeIfPresent([String: String].self, forKey: .grants)
      self.operator = try container.decodeIfPresent(Bool.self, forKey: .operator)
      statesGrants = container.contains(.grants)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(grants, forKey: .grants)
      try container.encodeIfPresent(self.operator, forKey: .operator)
    }
  }

  /// One text, or several.
  struct Texts: Codable {
    let texts: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        texts = [text]
      } else {
        texts = try container.decode([String].self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(texts)
    }
  }

  /// Nothing: the reader of tokens compares the claims with its own clock.
  func verify(using algorithm: some JWTAlgorithm) {}
}
#endif
