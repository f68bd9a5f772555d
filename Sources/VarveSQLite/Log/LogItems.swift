import VarveCore

/// Commits as they are sent to another replica.
extension LogTables {
  func items(
    beyond frontier: Frontier,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    _ outliner: Outliner?
  ) throws -> [LogItem] {
    var cursors = try cursors(beyond: frontier)
    var items: [LogItem] = []
    var size = 0
    while size < byteCount || items.isEmpty {
      guard let next = cursors.indices.min(by: { cursors[$0].order < cursors[$1].order }) else {
        break
      }
      let info = cursors[next]
      do {
        if try awaitsOutline(info.n) == true {
          items.append(.awaited(info.summary.id))
        } else {
          items.append(try item(info.n, wholeUpTo: wholeByteCount, &size, outliner))
        }
      } catch let error as VarveError where error.code == .damaged {
        items.append(.damaged(info.summary.id, error))
      }
      do {
        _ = try takeNext(&cursors)
      } catch let error as VarveError where error.code == .damaged {
        let id = info.summary.id
        let unknown = CommitID(replica: id.replica, sequence: id.sequence + 1, hash: .zero)
        items.append(.damaged(unknown, error))
        cursors.remove(at: next)
      }
    }
    return items
  }

  /// Returns a commit, without its blocks if these exceed a number of bytes.
  private func item(
    _ n: Int64,
    wholeUpTo wholeByteCount: Int,
    _ size: inout Int,
    _ outliner: Outliner? = nil
  ) throws -> LogItem {
    let head = try commit(number: n, withBlocks: false)
    size += head.headerBytes.count
    var blocks: [Block] = []
    var byteCount = head.headerBytes.count
    for index in 0..<head.header.blockCount {
      let block = try storedBlock(n + Int64(index))
      byteCount += block.byteCount
      if byteCount > wholeByteCount {
        size += byteCount
        return .large(head)
      }
      blocks.append(block)
    }
    let commit = head.with(blocks)
    guard let outline = try outliner?.outline(commit, n: n) else {
      size += byteCount
      return .commit(commit)
    }
    size += outline.byteCount
    return .commit(outline)
  }

  /// Returns the commits that arrived after a place, in order of arrival.
  ///
  /// - Parameter name: called with the name of each.
  func items(
    after place: Int64,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int,
    _ name: (CommitID) -> Void
  ) throws -> [LogItem] {
    var items: [LogItem] = []
    var size = 0
    let arrivals = try arrivals(after: place, through: .max)
    while size < byteCount || items.isEmpty, let (_, n, id) = try arrivals.next() {
      do {
        if try awaitsOutline(n) != nil {
          items.append(.awaited(id))
        } else {
          items.append(try item(n, wholeUpTo: wholeByteCount, &size))
        }
      } catch let error as VarveError where error.code == .damaged {
        items.append(.damaged(id, error))
      }
      name(id)
      if case .large = items.last { break }
    }
    return items
  }

  /// Returns complete commits of a range, from a sequence number on.
  func items(
    of range: CommitRange,
    from sequence: Int64,
    atMost byteCount: Int,
    _ wholeByteCount: Int
  ) throws -> (items: [LogItem], next: Int64) {
    var items: [LogItem] = []
    var size = 0
    var next = max(sequence, range.sequences.lowerBound)
    guard let chainID = try chainHolding(range.last) else {
      return ([], range.last.sequence + 1)
    }
    while next <= range.last.sequence, size < byteCount {
      defer { next += 1 }
      guard let n = try commitNumber(chainID: chainID, sequence: next),
        try awaitsOutline(n) == nil
      else { continue }
      do {
        items.append(try item(n, wholeUpTo: wholeByteCount, &size))
      } catch let error as VarveError where error.code == .damaged {
        continue  // It stays awaited: another store may have all of it.
      }
      // Its blocks follow one by one, before the next commit.
      if case .large = items.last { return (items, next + 1) }
    }
    return (items, next)
  }
}
