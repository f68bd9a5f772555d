public import VarveCore

/// Resolutions of issues and conflicts, each in a commit of its own.
extension Store {
  /// Merges duplicates into one entity. See ``WriteTransaction/mergeDuplicates(_:into:_:at:)``.
  @discardableResult
  public func mergeDuplicates(
    _ duplicates: some Sequence<EntityID> & Sendable,
    into kept: EntityID,
    _ policy: DuplicatePolicy = .fill,
    author: String? = nil,
    message: String? = nil
  ) async throws -> DuplicateMerge {
    try await write(author: author, message: message) {
      try await $0.mergeDuplicates(duplicates, into: kept, policy)
    }
  }

  /// Removes every ownership of a live entity. See ``WriteTransaction/makeRoot(_:at:)``.
  @discardableResult
  public func makeRoot(
    _ id: EntityID,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Int {
    try await write(author: author, message: message) { try await $0.makeRoot(id) }
  }

  /// Resolves a conflict. See ``WriteTransaction/resolve(_:by:at:)``.
  ///
  /// ```swift
  /// for conflict in try await store.conflicts() {
  ///   try await store.resolve(conflict, by: conflict.kind == .value ? .version(0) : .death)
  /// }
  /// ```
  @discardableResult
  public func resolve(
    _ conflict: Conflict,
    by resolution: ConflictResolution,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await write(author: author, message: message) {
      try await $0.resolve(conflict, by: resolution)
    }
  }
}
