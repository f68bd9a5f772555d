public import VarveCore
public import VarveEntities
import VarveSQLite

/// The option that is the key of a store.
private enum KeyOption: ConfigurationKey {
  static let defaultValue: StoreKey? = nil
}

extension Store.Configuration {
  /// The key of an encrypted store; nil for a plain one.
  ///
  /// A new store is encrypted if there is a key. One that exists is opened with its key: a plain one
  /// is not encrypted by it, but backed up with a key
  /// (``Store/backup(to:encryption:_:)-(String,_,_)``).
  ///
  /// Encryption needs SQLCipher, which the package trait `SQLCipher` brings.
  public var key: StoreKey? {
    get { self[KeyOption.self] }
    set { self[KeyOption.self] = newValue }
  }
}

extension Store {
  /// Whether this program can encrypt: it was built with the trait `SQLCipher`, and the SQLite that it
  /// uses is SQLCipher.
  public static var canEncrypt: Bool { SQLiteBackend.canEncrypt }

  /// Returns whether a file is an encrypted store, as far as can be told without its key: its bytes
  /// look random, which those of other encrypted or compressed files do too.
  ///
  /// A program can so decide whether to ask for a key. Returns false if the file cannot be read.
  public static func seemsEncrypted(at path: String) -> Bool {
    SQLiteBackend.seemsEncrypted(path)
  }
}
