public import VarveCore

extension Store {
  /// Destroys the content of entities in one commit. See ``WriteTransaction/purge(_:)``.
  ///
  /// The file is rewritten. When the call returns, the bytes are gone from the file and its
  /// write-ahead log. If another reader or writer is active, the next write, opening or closing of
  /// the store destroys them.
  ///
  /// - Complexity: O(bytes of the store).
  @discardableResult
  public func purge(
    _ ids: [EntityID],
    author: String? = nil,
    message: String? = nil
  ) async throws -> PurgeReport {
    try await write(as: .erase, author: author, message: message) { try await $0.purge(ids) }
  }
}
