import Foundation

/// Gives a file that is complete its name.
package enum FileNaming {
  package enum Outcome: Equatable {
    case named
    /// There is a file of the name.
    case taken
    /// The system's error number.
    case failed(Int32)
  }

  /// Gives a file another name in its folder, unless a file has that name.
  package static func name(_ partial: String, as path: String) -> Outcome {
    // A link is refused if the name exists; a renaming would replace what has the name.
    if link(partial, path) == 0 {
      unlink(partial)
      return .named
    }
    if errno == EEXIST || isThere(path) { return .taken }
    return rename(partial, path) == 0 ? .named : .failed(errno)
  }

  /// Returns whether there is a file of a name, or a link.
  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
