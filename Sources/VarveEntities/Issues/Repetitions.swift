public import VarveCore

/// The commits that had seen each other, as far as they were asked for.
package struct SeenCommits {
  private var frontiers: [CommitID: Frontier?] = [:]

  package init() {}

  /// Returns whether the author of a commit had seen an add. The commit being written, nil, has
  /// seen all; so has a commit that is no longer here.
  mutating func hasSeen(
    _ later: CommitID?,
    _ add: AddID,
    in reader: any BackendReader
  ) async throws -> Bool {
    guard let later, later != add.commit else { return true }
    guard let earlier = add.commit else { return false }
    if frontiers[later] == nil {
      do {
        frontiers[later] = .some(try await reader.frontier(of: later))
      } catch let error as VarveError where error.code == .notFound {
        frontiers[later] = .some(nil)
      }
    }
    guard let frontier = frontiers[later] ?? nil else { return true }
    return frontier.covers(earlier)
  }
}

extension BackendReader {
  /// Returns the elements of a list that repeat others which their authors had not seen, by target,
  /// in the order of the list.
  ///
  /// Of each target, the elements stay that one author had in view: the most that any author had;
  /// of several such authors, the one whose elements come first. Copies with the same commits choose
  /// the same ones.
  ///
  /// - Complexity: O(elements²) of the targets that occur repeatedly.
  func repetitions(
    of elements: [Element],
    _ seen: inout SeenCommits
  ) async throws -> [(target: EntityID, kept: Int, extra: [Element])] {
    var byTarget: [EntityID: [Element]] = [:]
    for element in elements { byTarget[element.target, default: []].append(element) }
    var found: [(target: EntityID, kept: Int, extra: [Element])] = []
    for element in elements {
      guard let all = byTarget.removeValue(forKey: element.target),
        Set(all.map(\.add.commit)).count > 1
      else { continue }
      var best: Set<AddID> = []
      for writer in all {
        var inView: Set<AddID> = []
        for other in all where try await seen.hasSeen(writer.add.commit, other.add, in: self) {
          inView.insert(other.add)
        }
        if inView.count > best.count { best = inView }
      }
      let extra = all.filter { !best.contains($0.add) }
      if !extra.isEmpty { found.append((element.target, best.count, extra)) }
    }
    return found
  }
}

extension Reading {
  /// Returns the targets that lists of a type show more often than any author meant: several
  /// authors added them, and none had seen the elements of the others.
  ///
  /// This happens if two copies import the same document, or make the same link, before they
  /// synchronise. A list keeps all adds, because nothing shows whether a repetition is meant (R8);
  /// sets and ordered sets show a target once.
  ///
  /// ```swift
  /// for repetition in try await store.repetitions(of: "Book", key: "authors") {
  ///   try await store.write { try await $0.removeRepetitions(of: repetition.entity, "authors") }
  /// }
  /// ```
  ///
  /// - Parameter key: a property that is read as a list.
  /// - Returns: the repetitions, by entity in creation order, then in the order of the list.
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(entities of the type + their elements).
  public func repetitions(
    of type: EntityType,
    key: PropertyKey
  ) async throws -> [StoreIssue.Repetition] {
    try await reading { state in
      var found: [StoreIssue.Repetition] = []
      var seen = SeenCommits()
      try await state.reader.fetch(Query(type), pageSize: 1_000) { page in
        for entity in page {
          found += try await state.repetitions(of: entity.id, key, &seen)
        }
        return true
      }
      return found
    }
  }
}

extension StateReader {
  /// Returns the live targets that a list of an entity repeats without meaning to.
  package func repetitions(
    of id: EntityID,
    _ key: PropertyKey,
    _ seen: inout SeenCommits
  ) async throws -> [StoreIssue.Repetition] {
    guard try await reader.isCollection(id, key) else { return [] }
    let elements = try await reader.elements(of: id, key: key)
    guard elements.count > 1 else { return [] }
    var found: [StoreIssue.Repetition] = []
    for (target, kept, extra) in try await reader.repetitions(of: elements, &seen)
    where try await !reader.isDead(target) {
      found.append(
        StoreIssue.Repetition(
          entity: id,
          key: key,
          target: target,
          count: kept + extra.count,
          meantCount: kept
        )
      )
    }
    return found
  }
}

extension Writing {
  /// Removes the elements of a list that repeat others which their authors had not seen. See
  /// ``Reading/repetitions(of:key:)``.
  ///
  /// Copies that settle the same repetitions independently remove the same elements. An element
  /// that arrives later stays, and is listed again if it is a repetition.
  ///
  /// - Parameters:
  ///   - id: the entity whose property it is.
  ///   - key: the list.
  /// - Returns: the number of elements removed.
  /// - Throws: ``VarveError`` with code `notFound` if the entity is not live.
  /// - Complexity: O(elements).
  @discardableResult
  public func removeRepetitions(of id: EntityID, _ key: PropertyKey) async throws -> Int {
    try await perform(as: .write) { try await $0.removeRepetitions(of: id, key) }
  }
}

extension CommitWriter {
  fileprivate func removeRepetitions(of id: EntityID, _ key: PropertyKey) async throws -> Int {
    try await requireLive(id)
    let time = try await timeInLife(of: id, at: defaultTime)
    guard try await isCollection(id, key, at: time) else { return 0 }
    var seen = SeenCommits()
    let elements = try await elements(of: id, key, at: time)
    var arrangement = Arrangement()
    for (target, _, extra) in try await commit.repetitions(of: elements, &seen)
    where try await !commit.isDead(target) {
      arrangement.removed += extra
    }
    try await arrange(id, key, arrangement, at: time)
    return arrangement.removed.count
  }
}
