/// Savepoints of the open transaction.
///
/// While one is open, changed pages stay in memory, however many they are. SQLite may otherwise write
/// them to the log before the commit, and some of them twice in one place. If the savepoint is then
/// rolled back, versions such as 3.40.1 compute wrong checksums in the log: the next commits are there
/// until the process ends, and are lost if it is killed.
extension Connection {
  func beginSavepoint(_ name: String) throws {
    try keepChangedPages()
    try statement("SAVEPOINT \(name)").run()
  }

  /// Keeps changed pages in memory until the transaction ends, so that its savepoints need not.
  func keepChangedPages() throws {
    // A number takes effect within a transaction; OFF does not.
    if savepointCount == 0 { try execute("PRAGMA cache_spill = 1000000000") }
    savepointCount += 1
  }

  func releaseSavepoint(_ name: String) throws {
    try statement("RELEASE \(name)").run()
    savepointCount -= 1
    if savepointCount == 0 { try execute(Self.usualSpilling) }
  }

  /// Ends the savepoints of a transaction that has ended.
  func endSavepoints() {
    guard savepointCount > 0 else { return }
    savepointCount = 0
    try? execute(Self.usualSpilling)
  }

  /// SQLite's initial setting: pages are written early if the cache is full.
  private static let usualSpilling = "PRAGMA cache_spill = 1"
}
