import VarveCore

extension StoreFile {
  /// Removes the companion files of a store that was only read, or could not be opened.
  ///
  /// A read-only connection cannot remove them. If the log is empty, a connection that may write is
  /// opened and closed, which leaves the store's file unchanged.
  static func tidy(_ name: DatabaseName) {
    guard name.isFile else { return }
    let file = resolved(name.path)
    guard isWritable(file), FileStatus(file + "-wal")?.byteCount == 0,
      let connection = try? Connection(name, isReadOnly: false)
    else { return }
    connection.cleansUpOnClosing(true)
    _ = try? connection.integer("SELECT count(*) FROM sqlite_master")
    try? connection.close()
  }
}
