import CVarveSQLite
import SQLiteLibrary
import VarveCore

/// The encryption of files by SQLCipher, if this program has it.
enum Encryption {
  /// Throws unless the SQLite that this program uses encrypts.
  ///
  /// A program may link two of them, and SQLite without encryption ignores a key: it would write
  /// everything in plain.
  ///
  /// - Throws: ``VarveError`` with code `unsupported`.
  static func require(at place: String?) throws {
    #if SQLCipher
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let handle
    else { throw missing(at: place) }
    try require(handle, at: place)
    #else
    throw missing(at: place)
    #endif
  }

  /// Gives a connection that was just opened the key of its file.
  static func unlock(_ handle: OpaquePointer, _ key: FileKey, at place: String) throws {
    try require(handle, at: place)
    // A wrong key is reported by an error, and not also on standard error.
    sqlite3_exec(handle, "PRAGMA cipher_log_level = NONE", nil, nil, nil)
    let code = try key.text(salt: salt(of: handle)).withUnsafeBytes {
      varve_key(UnsafeMutableRawPointer(handle), $0.baseAddress, Int32($0.count))
    }
    guard code == SQLITE_OK else { throw missing(at: place) }
    // The parameters of every version of Varve, whatever a later SQLCipher chooses.
    sqlite3_exec(handle, "PRAGMA cipher_compatibility = 4", nil, nil, nil)
  }

  /// The salt of the connection's file; nil if the file is new.
  static func salt(of handle: OpaquePointer) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: FileKey.saltByteCount)
    let count = Int32(bytes.count)
    return varve_read_start(UnsafeMutableRawPointer(handle), &bytes, count) != 0 ? bytes : nil
  }

  private static func require(_ handle: OpaquePointer, at place: String?) throws {
    guard let version = version(of: handle) else { throw missing(at: place) }
    guard isNewEnough(version) else {
      throw VarveError(
        .unsupported,
        "SQLCipher \(version) is too old",
        at: place,
        remedy: "Link SQLCipher \(oldest.major).\(oldest.minor) or newer."
      )
    }
  }

  /// The oldest version of SQLCipher that is accepted.
  private static let oldest = (major: 4, minor: 6)

  static func isNewEnough(_ version: String) -> Bool {
    let numbers = version.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (oldest.major, oldest.minor)
  }

  /// Returns what SQLCipher says of itself; nil if the connection is another SQLite's.
  private static func version(of handle: OpaquePointer) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return nil }
    return String(cString: text)
  }
}

/// The errors of keys.
extension Encryption {
  /// The error of a program without SQLCipher.
  static func missing(at place: String?) -> VarveError {
    #if SQLCipher
    let what = "the SQLite that the program uses does not encrypt: it is not SQLCipher"
    let remedy = "Link SQLCipher and no other SQLite, or link it first."
    #else
    let what = "this program was built without encryption"
    let remedy = "Build it with the trait SQLCipher, or open a store without a key."
    #endif
    return VarveError(.unsupported, what, at: place, remedy: remedy)
  }

  static func wrongKey(at place: String) -> VarveError {
    VarveError(
      .wrongKey,
      "the key is not that of the store, or the file is no store",
      at: place,
      remedy: "Give the present key of the store; another program may have changed it."
    )
  }

  static func keyChanging(at place: String) -> VarveError {
    VarveError(
      .busy,
      "the key of the store was changed meanwhile",
      at: place,
      remedy: "Read again."
    )
  }

  static func keyMissing(at place: String) -> VarveError {
    VarveError(
      .keyMissing,
      "the file is encrypted, or no store",
      at: place,
      remedy: "Open it with its key, or name the file of a store."
    )
  }

  static func notEncrypted(at place: String) -> VarveError {
    VarveError(
      .notEncrypted,
      "the store is not encrypted, and a key was given",
      at: place,
      remedy: "Open it without a key, or back it up with the key to another file and use that."
    )
  }

  static func memory(at place: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "a store in memory has no file to encrypt, and a key was given",
      at: place,
      remedy: "Open it without a key, or name a file."
    )
  }
}
