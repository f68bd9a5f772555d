import Crypto
import Foundation
package import VarveCore

extension Signer {
  /// Returns the keys of a new device.
  package static func newDevice() throws -> Signer {
    try Signer(signing: Curve25519.Signing.PrivateKey(), agreement: .init())
  }

  private static let version: UInt8 = 1
  private static let secretByteCount = 65

  /// The keys as a ``KeyStore`` keeps them: a version and the two private keys.
  package var secret: Secret {
    Secret(count: Self.secretByteCount) { buffer in
      buffer[0] = Self.version
      signing.withRawBytes { buffer[1..<33].copy($0) }
      agreement.withRawBytes { buffer[33..<65].copy($0) }
    }
  }

  /// Reads keys that a ``KeyStore`` kept.
  ///
  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  package init(_ secret: Secret) throws {
    self = try secret.withUnsafeBytes { bytes in
      guard let version = bytes.first, version <= Self.version else {
        throw StrictReading.newer("the keys of this device have a newer form")
      }
      guard version == Self.version, bytes.count == Self.secretByteCount else {
        throw StrictReading.damaged("the keys of this device", "they have another length")
      }
      return try Signer(
        signingBytes: UnsafeRawBufferPointer(rebasing: bytes[1..<33]),
        agreementBytes: UnsafeRawBufferPointer(rebasing: bytes[33..<65])
      )
    }
  }

  /// Creates keys from two private keys of 32 bytes.
  init(signingBytes: some ContiguousBytes, agreementBytes: some ContiguousBytes) throws {
    try self.init(
      signing: Curve25519.Signing.PrivateKey(rawRepresentation: signingBytes),
      agreement: Curve25519.KeyAgreement.PrivateKey(rawRepresentation: agreementBytes)
    )
  }
}

extension Curve25519.Signing.PrivateKey {
  fileprivate func withRawBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    wipingAfter(rawRepresentation, body)
  }
}

extension Curve25519.KeyAgreement.PrivateKey {
  fileprivate func withRawBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    wipingAfter(rawRepresentation, body)
  }
}

/// Passes the bytes of a private key on and overwrites them.
private func wipingAfter(_ data: Data, _ body: (UnsafeRawBufferPointer) -> Void) {
  var data = data
  data.withUnsafeBytes(body)
  data.withUnsafeMutableBytes(Secret.wipe)
}

extension Slice<UnsafeMutableRawBufferPointer> {
  fileprivate func copy(_ source: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: source)
  }
}
