import VarveCore

/// Finds the blocks of a commit that contain cells at given places, without reading all of them.
struct BlockFinder {
  let session: Session
  /// The first block, and the number of blocks.
  let first: Int64
  let count: Int
  /// The first block that was neither returned nor skipped.
  private var start = 0
  private var range = 0
  private var firsts: [Int: Int?] = [:]

  init(session: Session, first: Int64, count: Int) {
    self.session = session
    self.first = first
    self.count = count
  }

  /// Returns the next block that may contain one of the places.
  mutating func next(in ordinals: OrdinalSet) throws -> Int64? {
    while range < ordinals.ranges.count {
      let wanted = ordinals.ranges[range]
      let found = max(start, try lastBlock(beginningAtMost: wanted.lowerBound) ?? 0)
      for index in found..<count {
        guard let begin = try firstOrdinal(index) else { continue }
        guard begin < wanted.upperBound else { break }
        start = index + 1
        return first + Int64(index)
      }
      range += 1
    }
    return nil
  }

  /// Returns the last block whose first cell is not after a place.
  private mutating func lastBlock(beginningAtMost ordinal: Int) throws -> Int? {
    var (low, high) = (0, count - 1)
    var best: Int?
    while low <= high {
      let middle = (low + high) / 2
      var probe = middle
      while probe >= low, try firstOrdinal(probe) == nil { probe -= 1 }
      guard probe >= low, let begin = try firstOrdinal(probe) else {
        low = middle + 1
        continue
      }
      if begin <= ordinal {
        best = probe
        low = middle + 1
      } else {
        high = probe - 1
      }
    }
    return best
  }

  /// Returns the place of the first cell of a block; nil for a chunk, or if all cells were removed.
  private mutating func firstOrdinal(_ index: Int) throws -> Int? {
    if let known = firsts[index] { return known }
    let ordinal = try session.log.cells(ofBlock: first + Int64(index))?.firstOrdinal
    firsts[index] = .some(ordinal)
    return ordinal
  }
}
