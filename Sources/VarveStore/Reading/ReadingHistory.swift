public import VarveCore

extension Reading {
  /// What was written to an entity, or to one property of it, newest first: values, removals, what
  /// was added to and taken out of to-many properties and, without a key, the changes of its life.
  ///
  /// Answers for dead entities too, and nothing for unknown ones. Relations are not listed.
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
  ///   - limit: the most to answer, or nil for all.
  /// - Complexity: O(answered × log cells).
  public func history(
    of id: EntityID,
    _ key: PropertyKey? = nil,
    limit: Int? = nil
  ) async throws -> [Version] {
    try refuseNegative(limit, "a limit")
    return try await reading { state in
      let versions = try await state.backend.history(of: id, key: key, limit: limit)
      // Elements come and go after a property was made a to-many one.
      guard key == nil || versions.contains(where: \.isCollection) else { return versions }
      let members = try await state.backend.memberHistory(of: id, key: key)
      return Array(Self.merged(versions, members).prefix(limit ?? .max))
    }
  }

  /// Two histories as one, newest first; of equal times what was said of a property itself is older
  /// than what was said of its elements.
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

  /// The commits, newest arrival first.
  ///
  /// - Parameters:
  ///   - limit: the most to answer, or nil for all.
  ///   - offset: how many to pass over first.
  /// - Complexity: O(offset + answered).
  public func log(limit: Int? = nil, offset: Int = 0) async throws -> [CommitSummary] {
    try refuseNegative(limit, "a limit")
    try refuseNegative(offset, "an offset")
    return try await reading { try await $0.backend.log(limit: limit, offset: offset) }
  }

  /// Everything the author of a commit had seen when it was made, the commit included: the state
  /// the commit left in the store where it was written.
  ///
  /// ```swift
  /// let then = store.asOf(try await store.frontier(of: commit.id))
  /// ```
  ///
  /// - Throws: ``VarveError`` with code `notFound` where there is no such commit here.
  /// - Complexity: O(chains × log commits).
  public func frontier(of commit: CommitID) async throws -> Frontier {
    try await reading { try await $0.backend.frontier(of: commit) }
  }

  private func refuseNegative(_ number: Int?, _ what: String) throws {
    guard let number, number < 0 else { return }
    throw VarveError(.invalidArgument, "\(what) is negative: \(number)", remedy: "Use 0 or more.")
  }
}

extension Version {
  fileprivate var isCollection: Bool {
    if case .collection = content { true } else { false }
  }
}
