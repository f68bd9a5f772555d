import VarveCore

/// Where the secrets of a device are: its keys, the newest memberships that it has seen, and the
/// invitations that it made.
///
/// Every device has its own. A copy of them is the same device.
public struct DeviceKeys: Sendable {
  let store: any KeyStore

  /// Secrets in any place.
  package init(_ store: any KeyStore) { self.store = store }

  /// Secrets as files of a folder that only this user can enter. The folder is made if it is missing.
  ///
  /// Files or folders that others may read are refused as `inputOutput` when they are used.
  public static func folder(_ path: String) -> DeviceKeys {
    DeviceKeys(FileKeyStore(folder: path))
  }

  /// Returns whether there are keys of a device.
  ///
  /// - Throws: `VarveError`: `inputOutput` or `damaged` if they cannot be read.
  public func haveDevice() throws -> Bool {
    try store.secret(named: try DeviceKeeper.deviceName) != nil
  }

  #if canImport(Security)
  /// Secrets in the Keychain of Apple's systems, which no backup takes to another device.
  ///
  /// - Parameter service: the name under which they are grouped, such as the application's identifier.
  public static func keychain(service: String) -> DeviceKeys {
    DeviceKeys(KeychainKeyStore(service: service))
  }
  #endif
}
