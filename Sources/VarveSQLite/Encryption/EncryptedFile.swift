import VarveCore

/// An encrypted file, as it looks without its key: it begins with 16 random bytes, the salt, and the
/// rest looks random too.
enum EncryptedFile {
  /// The size of the pages of every encrypted store.
  static let pageByteCount: Int64 = 4_096

  /// Whether a file that does not begin as SQLite's do may be an encrypted store.
  ///
  /// Of a hundred random bytes, eighty or so differ from each other. Of a text, far fewer do.
  static func isLikely(_ head: [UInt8], byteCount: Int64) -> Bool {
    byteCount >= pageByteCount && byteCount % pageByteCount == 0 && Set(head).count > 55
  }

  /// Checks that the file may be whole.
  static func examineLength(_ byteCount: Int64, _ path: String) throws {
    guard byteCount % pageByteCount != 0 else { return }
    throw VarveError(
      .damaged,
      "the file has \(byteCount) bytes, which is no whole number of encrypted pages",
      at: path,
      remedy: "Restore the file from a copy, or name the file of a store."
    )
  }
}
