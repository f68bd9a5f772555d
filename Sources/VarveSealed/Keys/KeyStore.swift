package import VarveCore

/// A place for the secrets of a device: its keys, and what it remembers of memberships.
///
/// An application may have its own. Errors and logs of a store name secrets, and never have them.
package protocol KeyStore: Sendable {
  /// Returns a secret; nil if none has the name.
  ///
  /// - Throws: `VarveError` with code `damaged` if it is not as it was kept, or `inputOutput` if it
  ///   cannot be read, or others can read it.
  func secret(named name: KeyName) throws -> Secret?

  /// Keeps a secret durably; one with the same name is replaced in one step.
  func keep(_ secret: Secret, named name: KeyName) throws

  /// Keeps a secret durably, unless there is one with the same name. Of several processes that do so at
  /// once, one succeeds.
  ///
  /// - Returns: whether it was kept.
  func make(_ secret: Secret, named name: KeyName) throws -> Bool

  /// Removes a secret, if it is there.
  func removeSecret(named name: KeyName) throws
}

extension KeyStore {
  package func make(_ secret: Secret, named name: KeyName) throws -> Bool {
    guard try self.secret(named: name) == nil else { return false }
    try keep(secret, named: name)
    return true
  }
}
