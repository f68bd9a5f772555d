public import VarveCore

extension Store {
  /// Encrypts the store anew with another key.
  ///
  /// ```swift
  /// try await store.changeKey(to: StoreKey(passphrase: "new words"))
  /// ```
  ///
  /// Every page is written again, in one transaction: if the process or the system ends meanwhile,
  /// the store has the former key and nothing is lost. The write-ahead log takes as much space as the
  /// store until the call returns. Reads that are under way end as they began. Other programs that
  /// have the store open throw `wrongKey` at their next call, and open it again with the new key.
  ///
  /// Copies that were made before keep the former key.
  ///
  /// - Throws: ``VarveError``: `notEncrypted` if the store is plain, `readOnly`, `busy` if another
  ///   program writes for too long, `diskFull`, `nestedTransaction` inside a write of this store.
  /// - Complexity: O(file).
  public func changeKey(to key: StoreKey) async throws {
    try refuseInsideOwnWrite("changeKey")
    try refuseIfReadOnly()
    try await backend.changeKey(to: key)
  }
}
