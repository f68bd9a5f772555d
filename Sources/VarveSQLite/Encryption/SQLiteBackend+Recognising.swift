extension SQLiteBackend {
  /// Whether a file is an encrypted store, as far as can be told without its key.
  package static func seemsEncrypted(_ path: String) -> Bool { StoreFile.seemsEncrypted(path) }

  /// Whether the SQLite that this program uses encrypts.
  package static var canEncrypt: Bool { (try? Encryption.require(at: nil)) != nil }
}
