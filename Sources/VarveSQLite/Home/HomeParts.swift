import VarveCore

/// The parts of what a transaction adds to the home, in order: releases, records, then commits as they are stored.
final class HomeParts {
  private let session: Session
  private var released: ArraySlice<CommitID>
  private var records: ArraySlice<SealedRecord>
  private var numbers: ArraySlice<Int64>
  private var parts: [HomePart] = []
  private var open: (n: Int64, blockCount: Int64, index: Int64)?

  /// Lists what is to be added: releases, records, and the commits that the home lacks.
  ///
  /// - Parameters:
  ///   - released: the withheld commits that take effect.
  ///   - records: the records of a sealed space. Its commits can be kept only after them.
  ///   - numbers: the numbers of the commits that the home lacks.
  init(_ session: Session, _ released: [CommitID], _ records: [SealedRecord], _ numbers: [Int64]) {
    self.session = session
    self.released = released[...]
    self.records = records[...]
    self.numbers = numbers[...]
  }

  var isEmpty: Bool { released.isEmpty && records.isEmpty && numbers.isEmpty }

  /// The last commit.
  var last: CommitID? {
    get throws { try numbers.last.map { try session.log.commit(number: $0, withBlocks: false).id } }
  }

  /// Returns the next part, or nil at the end.
  func next() throws -> HomePart? {
    if let commit = released.popFirst() { return .arrival(HomeArrival(.release, commit)) }
    if let part = parts.popLast() { return part }
    if let record = records.popFirst() {
      let bytes = record.encoded
      parts = [.record(bytes)]
      return .arrival(.record(bytes))
    }
    if let (n, blockCount, index) = open, index < blockCount {
      open?.index += 1
      return .part(.block(try session.log.storedBlock(n + index)))
    }
    guard let n = numbers.popFirst() else { return nil }
    let commit = try session.log.commit(number: n, withBlocks: false)
    open = (n, Int64(commit.header.blockCount), 0)
    parts = [.part(.header(commit.header))]
    let kind: HomeArrival.Kind = try session.log.isWithheld(n) ? .withheldCommit : .commit
    let subject = try session.log.handover(of: n)
    return .arrival(HomeArrival(kind, commit.id, principal: subject))
  }
}
