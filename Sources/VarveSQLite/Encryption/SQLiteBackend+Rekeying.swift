import CVarveSQLite
import Foundation
import SQLiteLibrary
package import VarveCore

extension SQLiteBackend {
  package var isEncrypted: Bool { name.key != nil }

  package func changeKey(to key: StoreKey) async throws {
    try requireWritable()
    guard let present = name.key else {
      throw VarveError(
        .notEncrypted,
        "the store is not encrypted, so it has no key to change",
        at: place,
        remedy: "Back it up with the key to another file, and use that."
      )
    }
    let patience = Self.ownPatienceMilliseconds
    guard try await lock.lock(patienceMilliseconds: patience) else {
      throw VarveError.tooLong(patience, at: place)
    }
    defer { lock.unlock() }
    try checkOpen()
    try file?.requireName()
    try slot.close()
    try await rekey(from: present, to: FileKey(key))
    readers.closeIdle()
    try emptyLog()
  }

  /// Encrypts the file with another key, in one transaction of SQLite: a crash leaves all pages with
  /// the former key, or all with the new one.
  private func rekey(from present: FileKey, to next: FileKey) async throws {
    present.isChanging = true
    defer { present.isChanging = false }
    let end = ContinuousClock.now + .seconds(5)
    while true {
      let systemError = try rekeyOnce(to: next)
      // SQLCipher does not say whether it did.
      if (try? Self.open(name, with: next)) != nil { return present.change(to: next) }
      try Self.open(name, with: present)
      if let systemError, systemError != 0 {
        throw VarveError.system(systemError, "the key was not changed", at: place)
      }
      guard ContinuousClock.now < end else { throw notChanged }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Tries to encrypt the file with another key. Returns the system's last error.
  ///
  /// The connection is of no further use: after a failure it would write with the new key.
  private func rekeyOnce(to next: FileKey) throws -> Int32? {
    let connection = try Connection(name, isReadOnly: false)
    defer { try? connection.close() }
    let handle = UnsafeMutableRawPointer(connection.handle)
    let text = try next.text(salt: Encryption.salt(of: connection.handle))
    let code = text.withUnsafeBytes { varve_rekey(handle, $0.baseAddress, Int32($0.count)) }
    guard code == SQLITE_OK else { throw Encryption.missing(at: place) }
    return varve_write_errno(handle)
  }

  /// Opens the file with a key, and closes it.
  private static func open(_ name: DatabaseName, with key: FileKey) throws {
    var name = name
    name.key = key
    try Connection(name, isReadOnly: true).close()
  }

  /// Moves the new pages into the file, where they replace those with the former key.
  private func emptyLog() throws {
    let writer = try slot.open()
    try writer.connection.execute("BEGIN IMMEDIATE")
    do {
      try writer.noteScrub(writer.forgetting.scrub ?? .truncating)
      try writer.connection.execute("COMMIT")
    } catch {
      try? writer.connection.execute("ROLLBACK")
      throw error
    }
    scrubIfNeeded(writer)
  }

  private var notChanged: VarveError {
    VarveError(
      .busy,
      "the key was not changed, because another program is writing to the store",
      at: place,
      remedy: "Try again when the other writer has finished."
    )
  }
}
