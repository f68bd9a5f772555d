import VarveCore

/// What keeps a store's file from being used with the write-ahead log beside it.
enum FileConflict {
  /// Another connection uses the file with another log.
  case otherLog
  /// Another connection uses the log with another file.
  case otherFile
  /// The file got another name while it was opened.
  case replaced
  /// The log was left by users of another file.
  case foreignLog
  /// The file was left with a log at another path.
  case logElsewhere(String)
}

extension FileConflict {
  /// Whether it may end by itself soon.
  var mayEnd: Bool {
    switch self {
    case .otherLog, .otherFile: true
    case .replaced, .foreignLog, .logElsewhere: false
    }
  }

  func error(_ place: String, _ log: String) -> VarveError {
    switch self {
    case .otherLog:
      VarveError(
        .busy,
        "the file is open under another name, or its write-ahead log was removed while it was open",
        at: place,
        remedy: "Use one name for the file, or close the store where it is open first."
      )
    case .otherFile:
      VarveError(
        .busy,
        "the write-ahead log beside the file belongs to a file that had the name before, and is "
          + "open",
        at: place,
        remedy: "Close the store where it was open when the file was replaced."
      )
    case .replaced: StoreFile.replaced(at: place)
    case .foreignLog:
      VarveError(
        .inputOutput,
        "the write-ahead log beside the file belongs to another file, which had the name before",
        at: log,
        remedy:
          "Put that file back. To use this one instead, remove the log and the -shm file: what "
          + "they hold belongs to the other file."
      )
    case .logElsewhere(let path):
      VarveError(
        .inputOutput,
        "the file's latest commits are in the write-ahead log \(path)",
        at: place,
        remedy: "Open the store under the name that it had beside that log, or move the log along "
          + "with the file."
      )
    }
  }
}
