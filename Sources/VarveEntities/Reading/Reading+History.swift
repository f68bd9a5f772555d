public import VarveCore

extension Reading {
  /// Returns everything that was written to an entity, or to one of its properties, newest first:
  /// values, removals, elements added to and removed from to-many properties and, without a key,
  /// changes of its life.
  ///
  /// Dead entities have a history too; that of an unknown entity is empty. Relations and deaths with
  /// an owner are not listed: ``Store/diff(from:to:)`` and ``Store/changes(by:)`` list them.
  ///
  /// ```swift
  /// for version in try await store.history(of: "hat-1", "color", limit: 10) {
  ///   print(version.time.date, version.description, version.author ?? "-")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - id: the entity.
  ///   - key: the property, or nil for all.
  ///   - limit: the maximum number of versions, or nil for all.
  /// - Complexity: O(returned versions × log cells).
  public func history(
    of id: EntityID,
    _ key: PropertyKey? = nil,
    limit: Int? = nil
  ) async throws -> [Version] {
    try refuseNegative(limit, "limit")
    return try await reading { state in
      let versions = try await state.reader.history(of: id, key: key, limit: limit)
      // Elements change only after a property has become a to-many one.
      guard key == nil || versions.contains(where: \.isCollection) else { return versions }
      let members = try await state.reader.memberHistory(of: id, key: key)
      return Array(Self.merged(versions, members).prefix(limit ?? .max))
    }
  }

  /// Merges two histories, newest first. Of equal times, a version of the property itself is older
  /// than one of its elements.
  private static func merged(_ versions: [Version], _ members: [Version]) -> [Version] {
    guard !members.isEmpty else { return versions }
    var merged: [Version] = []
    var rest = members[...]
    for version in versions {
      let newer = rest.prefix { $0.time >= version.time }
      merged += newer
      rest = rest.dropFirst(newer.count)
      merged.append(version)
    }
    return merged + rest
  }

  /// Returns the commits, newest arrival first.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of commits, or nil for all.
  ///   - offset: the number of commits to skip.
  /// - Complexity: O(offset + returned commits).
  public func log(limit: Int? = nil, offset: Int = 0) async throws -> [CommitSummary] {
    try refuseNegative(limit, "limit")
    try refuseNegative(offset, "offset")
    return try await reading { try await $0.reader.log(limit: limit, offset: offset) }
  }

  /// Returns everything that the author of a commit had seen, including the commit: the state after
  /// the commit in the store where it was written.
  ///
  /// ```swift
  /// let then = store.asOf(try await store.frontier(of: commit.id))
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `notFound` if this store does not have the commit.
  /// - Complexity: O(chains × log commits).
  public func frontier(of commit: CommitID) async throws -> Frontier {
    try await reading { try await $0.reader.frontier(of: commit) }
  }

  private func refuseNegative(_ number: Int?, _ name: String) throws {
    guard let number, number < 0 else { return }
    throw VarveError(
      .invalidArgument,
      "the \(name) is negative: \(number)",
      at: name,
      remedy: "Use 0 or more."
    )
  }
}

extension Version {
  fileprivate var isCollection: Bool {
    if case .collection = content { true } else { false }
  }
}
