import CVarveSQLite
import GRDBSQLite

/// The VFS that connections to files use: SQLite's own, except that it can join the writes of a commit
/// to the write-ahead log.
///
/// SQLite writes two parts for each page of a commit. Joined, a commit of three pages is one call of
/// the system instead of six. The bytes in the log are the same, and so is their order. They are in
/// the log before SQLite shows the commit to readers, and an error fails the commit.
enum LogVFS {
  private static let name = "varve"

  /// A VFS is chosen by a URI, which SQLite may be built not to read.
  private static let isRegistered =
    sqlite3_compileoption_used("USE_URI") != 0 && varve_log_vfs_register(name, nil) == SQLITE_OK

  /// Returns the name of a database as it is opened: with this VFS, if it is a file and no program has
  /// made another VFS the default one.
  static func path(of database: DatabaseName) -> String {
    let path = database.path
    // A name without text is a temporary file, which has no write-ahead log.
    guard database.isFile, !path.isEmpty, isRegistered, varve_log_vfs_is_over_default(name) != 0
    else { return path }
    // After two slashes comes an authority, which is empty.
    return "file:" + (path.hasPrefix("/") ? "//" : "") + escaped(path) + "?vfs=" + name
  }

  /// Returns a path whose bytes mean themselves in a URI.
  private static func escaped(_ path: String) -> String {
    var escaped: [UInt8] = []
    let digits = Array("0123456789abcdef".utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        escaped.append(byte)
      default:
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}
