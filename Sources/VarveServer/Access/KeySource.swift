#if Server
import Foundation
import JWTKit
import VarveCore

/// A key that verifies signatures by one algorithm only, whatever a token says.
struct VerifyingKey: Sendable {
  let name: String?
  let algorithm: SignedTokens.Algorithm
  let verifier: JWTKeyCollection
}

/// The keys by which tokens are verified: read from a file whenever it changes, or fetched and kept
/// for some minutes.
actor KeySource {
  private let place: SignedTokens.Keys
  /// The shortest time between two attempts, however many unknown keys tokens name.
  private let pause: Duration
  private let fetch: @Sendable (String) async throws -> [UInt8]
  private let clock = ContinuousClock()

  private var known: [VerifyingKey] = []
  private var changeCount = 0
  /// Why the keys cannot be had anew; nil if they can. Those that are known stay in use.
  private(set) var fault: VarveError?
  private var content: [UInt8]?
  private var version: FileVersion?
  private var fetched: ContinuousClock.Instant?
  private var attempted: ContinuousClock.Instant?
  private var fetching: Task<Void, any Error>?

  /// How long fetched keys are used without looking again.
  private static let freshness = Duration.seconds(600)
  /// How long keys are used although they cannot be fetched again.
  private static let patience = Duration.seconds(86_400)

  init(
    _ place: SignedTokens.Keys,
    pause: Duration = .seconds(30),
    fetch: @escaping @Sendable (String) async throws -> [UInt8] = KeyAddress.get
  ) {
    self.place = place
    self.pause = pause
    self.fetch = fetch
  }

  /// Returns the keys that a token may have been signed with: those of the name, or all if it names
  /// none.
  func keys(named name: String?) async throws -> [VerifyingKey] {
    try await refresh(for: name)
    return known.filter { name == nil || $0.name == nil || $0.name == name }
  }

  /// A number that differs whenever the keys have changed.
  func revision() async -> Int {
    try? await refresh(for: nil)
    return changeCount
  }

  /// Reads or fetches the keys for the first time. An address that does not reply may do so later.
  ///
  /// - Throws: `VarveError`: `invalidArgument` for an address by which keys are not fetched, and
  ///   for a file without a key that can be used; `notFound`, `inputOutput` for the file.
  func prepare() async throws {
    switch place {
    case .url(let url):
      try KeyAddress.require(url)
      try? await refresh(for: nil)
    case .file(let path):
      guard FileManager.default.fileExists(atPath: path) else {
        throw Self.useless("there is no such file of token keys", .notFound, at: path)
      }
      guard FileManager.default.contents(atPath: path) != nil else {
        throw Self.useless("the file of token keys cannot be read", .inputOutput, at: path)
      }
      do { try await refresh(for: nil) } catch { throw fault ?? error }
      guard !known.isEmpty else {
        throw Self.useless("the file has no key that tokens can be signed with", at: path)
      }
    }
  }

  private static func useless(
    _ message: String,
    _ code: VarveError.Code = .invalidArgument,
    at path: String
  ) -> VarveError {
    VarveError(
      code,
      message,
      at: path,
      remedy: "Name a public key as PEM, or a set of keys as JSON (RFC 7517)."
    )
  }

  private func refresh(for name: String?) async throws {
    switch place {
    case .file(let path):
      let present = FileVersion(path)
      guard present != version else { return }
      do {
        guard let bytes = FileManager.default.contents(atPath: path) else {
          throw Self.unavailable("cannot be read", at: path)
        }
        try await take(Array(bytes))
        fault = nil
      } catch let error as VarveError {
        // Callers do not learn where the keys are.
        fault = error.place == nil && error.cause == nil ? error.located(at: path) : error
        guard content != nil else { throw error }
      }
      version = present
    case .url(let url):
      let isKnown = name == nil || known.contains { $0.name == name }
      let age = fetched.map { clock.now - $0 }
      guard age.map({ $0 > Self.freshness }) ?? true || !isKnown else { return }
      if let attempted, clock.now - attempted < pause, fetching == nil {
        guard let age, age < Self.patience else {
          throw Self.unavailable("cannot be fetched", at: url)
        }
        return
      }
      do {
        try await fetchOnce(url)
        fault = nil
      } catch {
        fault = Self.unavailable("cannot be fetched", at: url)
        guard let age, age < Self.patience else {
          throw Self.unavailable("cannot be fetched", at: url)
        }
      }
    }
  }

  /// Fetches the keys; callers that come meanwhile wait for the same.
  private func fetchOnce(_ url: String) async throws {
    if let fetching { return try await fetching.value }
    attempted = clock.now
    let task = Task { try await take(try await fetch(url)) }
    fetching = task
    defer { fetching = nil }
    try await task.value
    fetched = clock.now
  }

  private func take(_ bytes: [UInt8]) async throws {
    guard bytes != content else { return }
    known = try await Self.keys(in: bytes)
    content = bytes
    changeCount += 1
  }

  private static func unavailable(_ what: String, at place: String) -> VarveError {
    VarveError(
      .busy,
      "the token keys \(what)",
      remedy: "Check the file or the address of the keys."
    ).caused(by: place)
  }

  // MARK: Reading keys

  /// Reads a public key as PEM, or a set of keys as JSON. Keys of other kinds are left out.
  static func keys(in bytes: [UInt8]) async throws -> [VerifyingKey] {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.contains("-----BEGIN") { return [try await key(pem: text)] }
    guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(bytes)) else {
      throw VarveError(
        .invalidArgument,
        "the keys of tokens cannot be read",
        remedy: "Write a public key as PEM, or a set of keys as JSON (RFC 7517)."
      )
    }
    var keys: [VerifyingKey] = []
    for entry in set.keys {
      guard let jwk = entry.jwk, let algorithm = algorithm(of: jwk) else { continue }
      let collection = JWTKeyCollection()
      var fixed = jwk
      fixed.algorithm = JWK.Algorithm(rawValue: algorithm.rawValue)
      fixed.privateExponent = nil
      if fixed.keyIdentifier == nil { fixed.keyIdentifier = "key" }
      guard (try? await collection.add(jwk: fixed)) != nil else { continue }
      let name = jwk.keyIdentifier?.string
      keys.append(VerifyingKey(name: name, algorithm: algorithm, verifier: collection))
    }
    return keys
  }

  private static func key(pem: String) async throws -> VerifyingKey {
    let collection = JWTKeyCollection()
    let algorithm: SignedTokens.Algorithm
    if let key = try? ES256PublicKey(pem: pem) {
      await collection.add(ecdsa: key)
      algorithm = .es256
    } else if let key = try? EdDSA.PublicKey(pem: pem) {
      await collection.add(eddsa: key)
      algorithm = .edDSA
    } else if let key = try? Insecure.RSA.PublicKey(pem: pem) {
      await collection.add(rsa: key, digestAlgorithm: .sha256)
      algorithm = .rs256
    } else {
      throw VarveError(
        .invalidArgument,
        "the key of tokens cannot be read",
        remedy: "Write a public key of P-256, Ed25519 or RSA from 2,048 bits, as PEM."
      )
    }
    return VerifyingKey(name: nil, algorithm: algorithm, verifier: collection)
  }

  /// The only algorithm that a key is used with.
  private static func algorithm(of key: JWK) -> SignedTokens.Algorithm? {
    let natural: SignedTokens.Algorithm? =
      switch key.keyType {
      case .ecdsa: key.curve == .ecdsa(.p256) ? .es256 : nil
      case .octetKeyPair: .edDSA
      case .rsa: .rs256
      default: nil
      }
    guard let stated = key.algorithm?.rawValue else { return natural }
    return natural?.rawValue == stated ? natural : nil
  }
}

/// A set of keys, of which single ones may be of unknown kinds.
private struct KeySet: Decodable {
  struct Entry: Decodable {
    /// The key; nil if it is of an unknown kind, or not for signatures.
    let jwk: JWK?

    init(from decoder: any Decoder) {
      let isForSignatures = (try? Purpose(from: decoder).isSignature) ?? false
      jwk = isForSignatures ? try? JWK(from: decoder) : nil
    }
  }

  /// For what a key may be used (RFC 7517, 4.2 and 4.3).
  private struct Purpose: Decodable {
    let use: String?
    let operations: [String]?

    private enum CodingKeys: String, CodingKey {
      case use
      case operations = "key_ops"
    }

    var isSignature: Bool {
      use ?? "sig" == "sig" && operations?.contains("verify") ?? true
    }
  }

  let keys: [Entry]
}
#endif
