import VarveCore

/// What a transaction adds to the home, part by part: releases, then commits as they are stored.
final class HomeParts {
  private let session: Session
  private var released: ArraySlice<CommitID>
  private var numbers: ArraySlice<Int64>
  private var parts: [HomePart] = []
  private var open: (n: Int64, blockCount: Int64, index: Int64)?

  /// Lists what is to be added: releases, and the commits that the home lacks.
  ///
  /// - Parameters:
  ///   - released: the withheld commits that take effect.
  ///   - numbers: the numbers of the commits.
  ///   - held: the commits among them that the home has.
  init(
    _ session: Session,
    _ released: [CommitID],
    _ numbers: [Int64],
    but held: Set<CommitID> = []
  ) throws {
    self.session = session
    self.released = released[...]
    self.numbers =
      held.isEmpty
      ? numbers[...]
      : try numbers.filter {
        try !held.contains(session.log.commit(number: $0, withBlocks: false).id)
      }[...]
  }

  var isEmpty: Bool { released.isEmpty && numbers.isEmpty }

  /// The last commit.
  var last: CommitID? {
    get throws { try numbers.last.map { try session.log.commit(number: $0, withBlocks: false).id } }
  }

  /// Returns the next part, or nil at the end.
  func next() throws -> HomePart? {
    if let commit = released.popFirst() { return .arrival(HomeArrival(.release, commit)) }
    if let part = parts.popLast() { return part }
    if let (n, blockCount, index) = open, index < blockCount {
      open?.index += 1
      return .part(.block(try session.log.storedBlock(n + index)))
    }
    guard let n = numbers.popFirst() else { return nil }
    let commit = try session.log.commit(number: n, withBlocks: false)
    open = (n, Int64(commit.header.blockCount), 0)
    parts = [.part(.header(commit.header))]
    let kind: HomeArrival.Kind = try session.log.isWithheld(n) ? .withheldCommit : .commit
    return .arrival(HomeArrival(kind, commit.id))
  }
}
