#if CommandLine && Server
import Foundation
import JWTKit
import Synchronization
import Testing
import VarveServer
import VarveTestSupport

/// JSON Web Tokens.
@Suite struct SignedTokenTests {
  private let scratch: Scratch
  private let file: String
  private static let now = Date(timeIntervalSince1970: 1_790_000_000)

  init() throws {
    scratch = try Scratch()
    file = scratch.path("keys")
  }

  /// The claims of a token; nil leaves one out.
  private struct Claims: JWTPayload {
    var iss: String? = "https://login.example"
    var aud: [String]? = ["varve"]
    var sub: String? = "ben"
    var exp: Double? = SignedTokenTests.now.timeIntervalSince1970 + 600
    var nbf: Double?
    var varve: Rights? = Rights()

    struct Rights: Codable {
      var grants: [String: String]? = ["hats": "writer"]
      var `operator`: Bool?
    }

    func verify(using algorithm: some JWTAlgorithm) {}
  }

  private func keep(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }

  private func access(
    algorithms: Set<SignedTokens.Algorithm> = Set(SignedTokens.Algorithm.allCases),
    now: @escaping @Sendable () -> Date = { SignedTokenTests.now }
  ) -> Access {
    .signed(
      SignedTokens(
        .file(file),
        issuer: "https://login.example",
        audience: "varve",
        algorithms: algorithms,
        now: now
      )
    )
  }

  private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

  /// Makes a space beside the server, because the tokens are of no operator.
  private func withServer(_ access: Access, _ body: (Served) async throws -> Void) async throws {
    _ = try await Served.with(scratch: scratch) { server in
      try await server.send("PUT", "/v1/spaces/hats", "")
    }
    try await Served.with(access, scratch: scratch, body)
  }

  @Test(arguments: SignedTokens.Algorithm.allCases)
  func `a token signed by the key of a file enters with its grants`(
    algorithm: SignedTokens.Algorithm
  ) async throws {
    let keys = JWTKeyCollection()
    switch algorithm {
    case .es256:
      let key = ES256PrivateKey()
      await keys.add(ecdsa: key)
      try keep(key.publicKey.pemRepresentation)
    case .edDSA:
      let key = try EdDSA.PrivateKey()
      await keys.add(eddsa: key)
      try keep(key.publicKey.pemRepresentation)
    case .rs256:
      await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: Fixtures.rsa), digestAlgorithm: .sha256)
      try keep(Fixtures.rsaPublic)
    }
    let token = try await keys.sign(Claims())
    try await withServer(access()) { server in
      let operations = "/v1/spaces/hats/operations"
      let create = #"{"op":"create","type":"Hat"}"#
      let headers = bearer(token)
      #expect(try await server.send("POST", operations, create, headers: headers).status == 200)
      let log = try await server.get("/v1/spaces/hats/log", headers: headers)
      #expect(log.text.contains(#""author":"ben""#))
      #expect(try await server.get("/v1/spaces/caps", headers: headers).status == 404)
      let put = try await server.send("PUT", "/v1/spaces/caps", "", headers: headers)
      #expect(put.status == 403)
    }
    // Pinned to another algorithm, the key and the token are no use.
    let others = Set(SignedTokens.Algorithm.allCases).subtracting([algorithm])
    try await withServer(access(algorithms: others)) { server async throws in
      #expect(try await server.get("/v1", headers: bearer(token)).status == 401)
    }
  }

  @Test func `a token is written in one way only`() async throws {
    let key = ES256PrivateKey()
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key)
    try keep(key.publicKey.pemRepresentation)
    // A signature has other bytes each time, and most have these characters.
    var token = try await keys.sign(Claims())
    while !token.contains("-") || !token.contains("_") { token = try await keys.sign(Claims()) }
    let others = [
      token + "=", token.replacing("-", with: "+"), token.replacing("_", with: "/"),
      token.replacing(".", with: "=."), token + ".",
    ]
    try await withServer(access()) { [token] server async throws in
      #expect(try await server.get("/v1", headers: bearer(token)).status == 200)
      for other in others {
        #expect(try await server.get("/v1", headers: bearer(other)).status == 401, "\(other)")
      }
    }
  }

  @Test func `a token must be of the issuer and for this server and of this time`() async throws {
    let key = ES256PrivateKey()
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key)
    try keep(key.publicKey.pemRepresentation)
    let time = Self.now.timeIntervalSince1970
    let changes: [(String, (inout Claims) -> Void)] = [
      ("another issuer", { $0.iss = "https://evil.example" }), ("no issuer", { $0.iss = nil }),
      ("another audience", { $0.aud = ["other"] }), ("no audience", { $0.aud = nil }),
      ("an empty audience", { $0.aud = [] }), ("no subject", { $0.sub = nil }),
      ("an empty subject", { $0.sub = "" }), ("expired", { $0.exp = time }),
      ("no expiry", { $0.exp = nil }), ("not yet", { $0.nbf = time + 60 }),
      ("an end that is no date", { $0.exp = 1e300 }),
      ("an end after the year 9999", { $0.exp = 253_402_300_800 }),
    ]
    try await withServer(access()) { server in
      for (what, change) in changes {
        var claims = Claims()
        change(&claims)
        let headers = bearer(try await keys.sign(claims))
        #expect(try await server.get("/v1", headers: headers).status == 401, "\(what)")
      }
      var claims = Claims()
      claims.nbf = time + 10
      claims.varve = nil
      let headers = bearer(try await keys.sign(claims))
      #expect(try await server.get("/v1", headers: headers).status == 200)
      #expect(try await server.get("/v1/spaces/hats", headers: headers).status == 404)
      claims.varve = Claims.Rights(grants: ["hats": "emperor", "*": "reader"])
      let reader = bearer(try await keys.sign(claims))
      #expect(try await server.get("/v1/spaces/hats", headers: reader).status == 200)
    }
  }

  @Test func `a forged token is refused`() async throws {
    let key = ES256PrivateKey()
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key)
    let pem = key.publicKey.pemRepresentation
    try keep(pem)
    let good = try await keys.sign(Claims())
    let parts = good.split(separator: ".").map(String.init)
    var forged = [
      // Without a signature, and with one of another key.
      "\(Self.encoded(#"{"alg":"none"}"#)).\(parts[1]).",
      "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", parts[0], "..", ".",
      "\(parts[0]).\(parts[1]).\(parts[2].reversed())",
      "\(parts[0]).\(Self.encoded(#"{"iss":"https://login.example"}"#)).\(parts[2])",
      "\(good).\(parts[2])", "\(good)A", String(repeating: "e", count: 20_000),
      "\(Self.encoded(#"{"alg":"ES256","crit":["b64"]}"#)).\(parts[1]).\(parts[2])",
      "\(Self.encoded(#"{"alg":"es256"}"#)).\(parts[1]).\(parts[2])",
      "\(Self.encoded(String(repeating: "[", count: 2_000))).\(parts[1]).\(parts[2])",
    ]
    let stranger = JWTKeyCollection()
    await stranger.add(ecdsa: ES256PrivateKey())
    forged.append(try await stranger.sign(Claims()))
    // The public key is known to everyone; it must not serve as a secret.
    let confused = JWTKeyCollection()
    await confused.add(hmac: HMACKey(from: pem), digestAlgorithm: .sha256)
    forged.append(try await confused.sign(Claims()))
    try await withServer(access()) { server in
      #expect(try await server.get("/v1", headers: bearer(good)).status == 200)
      for token in forged {
        let reply = try await server.get("/v1", headers: bearer(token))
        #expect(reply.status == 401, "\(token.prefix(80))")
      }
    }
  }

  private static func encoded(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// A set with keys of the given names, and those who sign with them.
  private func set(_ signers: [(String, ES256PrivateKey)]) throws -> String {
    let keys = try signers.map { name, key in
      let point = try #require(key.parameters)
      return #"{"kty":"EC","crv":"P-256","kid":"\#(name)","x":"\#(point.x)","y":"\#(point.y)"}"#
    }
    let others = [#"{"kty":"oct","k":"c2VjcmV0","kid":"s"}"#, #"{"kty":"EC","crv":"P-999"}"#]
    return #"{"keys":[\#((others + keys).joined(separator: ","))]}"#
  }

  /// Writes a payload as it is given.
  private struct GivenText: JWTJSONEncoder {
    let text: String
    func encode<T: Encodable>(_ value: T) throws -> Data {
      value is JWTHeader ? try JSONEncoder().encode(value) : Data(text.utf8)
    }
  }

  @Test(arguments: [
    (#""sub":"ben","exp":1790000600"#, 200), (#""sub":"ben","sub":"eve","exp":1790000600"#, 401),
    (#""sub":"ben","exp":1,"exp":1790000600"#, 401),
    (#""sub":"ben","exp":1790000600,"varve":{"grants":{},"grants":{"hats":"admin"}}"#, 401),
    (#""sub":"ben","exp":1790000600,"varve":{"grants":{"hats":"reader","hats":"admin"}}"#, 401),
  ])
  func `a token that names a claim twice is refused`(claims: String, status: Int) async throws {
    let key = ES256PrivateKey()
    try keep(key.publicKey.pemRepresentation)
    let text = #"{"iss":"https://login.example","aud":"varve",\#(claims)}"#
    let keys = JWTKeyCollection()
    await keys.add(
      ecdsa: key,
      serializer: DefaultJWTSerializer(jsonEncoder: GivenText(text: text))
    )
    let token = try await keys.sign(Claims())
    try await withServer(access()) { server async throws in
      #expect(try await server.get("/v1", headers: bearer(token)).status == status)
    }
  }

  @Test(arguments: [
    ("", 200), (#""use":"sig","#, 200), (#""use":"enc","#, 401), (#""use":"other","#, 401),
    (#""key_ops":["verify"],"#, 200), (#""key_ops":["encrypt","wrapKey"],"#, 401),
    (#""use":"sig","key_ops":["encrypt"],"#, 401),
  ])
  func `a key that is not for signatures verifies none`(purpose: String, status: Int) async throws {
    let key = ES256PrivateKey()
    let point = try #require(key.parameters)
    let other = try #require(ES256PrivateKey().parameters)
    try keep(
      #"{"keys":[{"kty":"EC",\#(purpose)"crv":"P-256","x":"\#(point.x)","y":"\#(point.y)"},"#
        + #"{"kty":"EC","crv":"P-256","kid":"other","x":"\#(other.x)","y":"\#(other.y)"}]}"#
    )
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key)
    let token = try await keys.sign(Claims())
    try await withServer(access()) { server async throws in
      #expect(try await server.get("/v1", headers: bearer(token)).status == status)
    }
  }

  @Test func `keys are rotated while the server runs`() async throws {
    let (old, new) = (ES256PrivateKey(), ES256PrivateKey())
    let (oldKeys, newKeys) = (JWTKeyCollection(), JWTKeyCollection())
    await oldKeys.add(ecdsa: old, kid: "old")
    await newKeys.add(ecdsa: new, kid: "new")
    let (first, second) = (
      bearer(try await oldKeys.sign(Claims(), kid: "old")),
      bearer(try await newKeys.sign(Claims(), kid: "new"))
    )
    try keep(try set([("old", old)]))
    try await withServer(access()) { server in
      #expect(try await server.get("/v1", headers: first).status == 200)
      #expect(try await server.get("/v1", headers: second).status == 401)
      let stream = try server.open("/v1/spaces/hats/live", headers: first)
      _ = try await Served.aside { stream.read(until: "\n\n") }
      try keep(try set([("old", old), ("new", new)]))
      #expect(try await server.get("/v1", headers: first).status == 200)
      #expect(try await server.get("/v1", headers: second).status == 200)
      try keep(try set([("new", new)]))
      // The stream of a token whose key is gone ends.
      _ = try await Served.aside { stream.readToEnd() }
      #expect(try await server.get("/v1", headers: first).status == 401)
    }
  }

  @Test func `keys are fetched from an address and fetched again for a new name`() async throws {
    let (old, new) = (ES256PrivateKey(), ES256PrivateKey())
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: old, kid: "old")
    await keys.add(ecdsa: new, kid: "new")
    let content = Mutex(try set([("old", old)]))
    let fetchCount = Mutex(0)
    let source = SignedTokens(
      .url("https://login.example/keys"),
      issuer: "https://login.example",
      audience: "varve",
      now: { Self.now },
      refetchPause: .zero,
      fetch: { _ in
        fetchCount.withLock { $0 += 1 }
        return Array(content.withLock { $0 }.utf8)
      }
    )
    let (first, second) = (
      bearer(try await keys.sign(Claims(), kid: "old")),
      bearer(try await keys.sign(Claims(), kid: "new"))
    )
    try await withServer(.signed(source)) { server in
      for _ in 0..<5 { #expect(try await server.get("/v1", headers: first).status == 200) }
      #expect(fetchCount.withLock { $0 } == 1)
      #expect(try await server.get("/v1", headers: second).status == 401)
      let rotated = try set([("new", new)])
      content.withLock { $0 = rotated }
      #expect(try await server.get("/v1", headers: second).status == 200)
      #expect(try await server.get("/v1", headers: first).status == 401)
    }
  }

  @Test func `unknown names of keys do not make the server fetch all the time`() async throws {
    let fetchCount = Mutex(0)
    let key = ES256PrivateKey()
    let keys = JWTKeyCollection()
    for number in 0..<20 { await keys.add(ecdsa: key, kid: JWKIdentifier(string: "\(number)")) }
    let content = try set([("known", key)])
    let source = SignedTokens(
      .url("https://login.example/keys"),
      issuer: "https://login.example",
      audience: "varve",
      now: { Self.now },
      refetchPause: .seconds(3_600),
      fetch: { _ in
        fetchCount.withLock { $0 += 1 }
        return Array(content.utf8)
      }
    )
    try await withServer(.signed(source)) { server in
      for number in 0..<20 {
        let token = try await keys.sign(Claims(), kid: JWKIdentifier(string: "\(number)"))
        #expect(try await server.get("/v1", headers: bearer(token)).status == 401)
      }
    }
    #expect(fetchCount.withLock { $0 } == 1)
  }

  @Test func `without its keys the server refuses and says that it is its own fault`()
    async throws
  {
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: ES256PrivateKey())
    let token = try await keys.sign(Claims())
    let source = SignedTokens(
      .url("https://login.example/keys"),
      issuer: "https://login.example",
      audience: "varve",
      now: { Self.now },
      refetchPause: .zero,
      fetch: { _ in throw CocoaError(.fileReadUnknown) }
    )
    try await withServer(.signed(source)) { server async throws in
      #expect(try await server.get("/v1", headers: bearer(token)).status == 503)
      #expect(try await server.get("/v1").status == 401)
    }
  }
}
#endif
