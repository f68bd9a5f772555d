#if canImport(Security)
import Foundation
import Security
package import VarveCore

/// Secrets in the Keychain of Apple's systems. They stay on this device, in no backup that another
/// device could read, and can be read once the device was unlocked after its start.
package struct KeychainKeyStore: KeyStore {
  private let service: String

  /// - Parameter service: the name under which the items are grouped, such as the application's
  ///   identifier.
  package init(service: String) { self.service = service }

  package func secret(named name: KeyName) throws -> Secret? {
    var query = item(name)
    query[kSecReturnData] = true
    query[kSecMatchLimit] = kSecMatchLimitOne
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, var data = found as? Data else {
      throw failure(status, "a secret cannot be read", name)
    }
    defer { data.withUnsafeMutableBytes(Secret.wipe) }
    guard data.count <= SealedLimits.secretByteCount else {
      throw StrictReading.damaged("an item of the Keychain", "it is too large", at: place(name))
    }
    return Secret(copying: data)
  }

  package func keep(_ secret: Secret, named name: KeyName) throws {
    guard secret.count <= SealedLimits.secretByteCount else {
      throw VarveError(.valueTooLarge, "a secret is too large", at: place(name))
    }
    var data = secret.withUnsafeBytes { Data($0) }
    defer { data.withUnsafeMutableBytes(Secret.wipe) }
    let values: [CFString: Any] = [
      kSecValueData: data,
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
    var status = SecItemUpdate(item(name) as CFDictionary, values as CFDictionary)
    if status == errSecItemNotFound {
      let new = item(name).merging(values) { own, _ in own }
      status = SecItemAdd(new as CFDictionary, nil)
    }
    guard status == errSecSuccess else { throw failure(status, "a secret cannot be kept", name) }
  }

  package func removeSecret(named name: KeyName) throws {
    let status = SecItemDelete(item(name) as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else {
      throw failure(status, "a secret cannot be removed", name)
    }
  }

  private func item(_ name: KeyName) -> [CFString: Any] {
    [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: service,
      kSecAttrAccount: name.text,
      kSecUseDataProtectionKeychain: true,
      kSecAttrSynchronizable: false,
    ]
  }

  private func place(_ name: KeyName) -> String { "Keychain item \(name) of \(service)" }

  private func failure(_ status: OSStatus, _ what: String, _ name: KeyName) -> VarveError {
    let reason = SecCopyErrorMessageString(status, nil) as String? ?? "error \(status)"
    return VarveError(
      .inputOutput,
      "\(what): \(reason)",
      at: place(name),
      remedy: "Unlock the device, and check that the application may use the Keychain."
    )
  }
}
#endif
