import CVarveSQLite
import SQLiteLibrary
import Synchronization
import VarveCore

#if SQLCipher
import Foundation
import _CryptoExtras
#endif

/// The key of a store's file, which all connections of an open store share.
///
/// SQLCipher would derive the key of the pages from a passphrase for each connection. It is derived
/// once here, in the same way.
final class FileKey: Sendable {
  private struct State {
    var key: StoreKey
    var generation = 0
    var isChanging = false
    /// The text that SQLCipher takes as the key, and the salt that it was derived with.
    var derived: (salt: [UInt8], text: Secret)?
  }

  private let state: Mutex<State>

  init(_ key: StoreKey) { state = Mutex(State(key: key)) }

  /// The key as the user gave it.
  var key: StoreKey { state.withLock { $0.key } }

  /// A number that changes with the key.
  var generation: Int { state.withLock { $0.generation } }

  /// Whether the file is being encrypted anew, so that it may have another key already.
  var isChanging: Bool {
    get { state.withLock { $0.isChanging } }
    set { state.withLock { $0.isChanging = newValue } }
  }

  /// Returns why the first page of the file cannot be read with this key.
  ///
  /// - Parameter generation: the number of the key with which the file was opened.
  func refusal(generation: Int, at place: String) -> VarveError {
    let isPresent = state.withLock { !$0.isChanging && $0.generation == generation }
    return isPresent ? Encryption.wrongKey(at: place) : Encryption.keyChanging(at: place)
  }

  /// Replaces the key, after the file was encrypted anew.
  func change(to other: FileKey) {
    let (key, derived) = other.state.withLock { ($0.key, $0.derived) }
    state.withLock { state in
      state.key = key
      state.derived = derived
      state.generation += 1
    }
  }

  /// Returns the text that SQLCipher takes as the key of a file.
  ///
  /// - Parameter salt: the salt of the file; nil for a new file, whose salt this chooses.
  func text(salt: [UInt8]?) throws -> Secret {
    try state.withLock { state in
      if let derived = state.derived, salt == nil || salt == derived.salt { return derived.text }
      let salt = salt ?? Self.newSalt()
      let text = try Self.text(of: state.key, salt: salt)
      state.derived = (salt, text)
      return text
    }
  }

  /// The number of bytes at the beginning of a file that are its salt.
  static let saltByteCount = 16

  private static func newSalt() -> [UInt8] {
    var source = SystemRandomNumberGenerator()
    return (0..<saltByteCount).map { _ in UInt8.random(in: 0...255, using: &source) }
  }

  /// Returns a key and a salt in the form that SQLCipher does not derive: `x'…'`.
  private static func text(of key: StoreKey, salt: [UInt8]) throws -> Secret {
    let digits = Array("0123456789abcdef".utf8)
    return try pageKey(of: key, salt: salt).withUnsafeBytes { bytes in
      var text = Array("x'".utf8)
      text.reserveCapacity(3 + 2 * (bytes.count + salt.count))
      for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
      for byte in salt { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
      text.append(UInt8(ascii: "'"))
      defer { text.withUnsafeMutableBytes { Secret.wipe($0) } }
      return Secret(copying: text)
    }
  }

  #if SQLCipher
  /// The number of rounds of the derivation, since SQLCipher 4.
  private static let roundCount = 256_000

  private static func pageKey(of key: StoreKey, salt: [UInt8]) throws -> SymmetricKey {
    try key.secret.withUnsafeBytes { secret in
      guard key.form == .passphrase else { return SymmetricKey(data: secret) }
      return try KDF.Insecure.PBKDF2.deriveKey(
        from: secret,
        salt: salt,
        using: .sha512,
        outputByteCount: StoreKey.byteCount,
        rounds: roundCount
      )
    }
  }
  #else
  private static func pageKey(of key: StoreKey, salt: [UInt8]) throws -> [UInt8] {
    throw Encryption.missing(at: nil)
  }
  #endif
}

extension FileKey: Hashable {
  static func == (one: FileKey, other: FileKey) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DatabaseName {
  /// Returns the error of an encrypted file whose first page is not what the key says; nil for other
  /// codes of SQLite's, and for plain files.
  func refusal(_ primaryCode: Int32, generation: Int?) -> VarveError? {
    guard primaryCode == SQLITE_NOTADB, let key, let generation else { return nil }
    return key.refusal(generation: generation, at: place)
  }

  /// Returns the error of a file that could not be opened, as ``refusal(_:generation:)``.
  func refusal(of error: any Error, generation: Int?) -> VarveError? {
    (error as? DatabaseHandle.Failure).flatMap { refusal($0.code & 0xFF, generation: generation) }
  }
}
