/// Whether a copy of a store is encrypted, and with which key.
public enum BackupEncryption: Sendable {
  /// As the store is: plain, or encrypted with its key.
  case asStore
  /// With this key, whether or not the store is encrypted.
  case key(StoreKey)
  /// Not at all, even if the store is encrypted.
  case plain
}
