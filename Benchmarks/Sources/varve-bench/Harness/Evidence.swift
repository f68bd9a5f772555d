/// What a contestant's work came to, to be held against the others': who reads nothing is the fastest.
///
/// It is taken in the first repetition alone and off the clock, so that the instructions of one more
/// repetition hold none of it.
final class Evidence {
  /// Whether this repetition's results are compared.
  let isWanted: Bool
  private(set) var checksum = Checksum()

  /// How many results there were, and a sum of their hashes, which are this process's own.
  struct Checksum: Hashable, CustomStringConvertible {
    fileprivate(set) var count = 0
    fileprivate var sum = 0

    var description: String { "\(count) results, sum \(sum)" }
  }

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Takes the items one question was answered with, in any order.
  func take<Items: Sequence>(_ items: Items) throws where Items.Element: HasPlainItem {
    guard isWanted else { return }
    var sum = 0
    for item in items {
      sum &+= try item.plain().hashValue
      checksum.count += 1
    }
    checksum.sum = checksum.sum &* 31 &+ sum
  }

  /// Throws unless all came to the same.
  static func compare(_ checksums: [(name: String, Checksum)], in benchmark: String) throws {
    guard let (first, expected) = checksums.first, checksums.count > 1 else { return }
    for (name, checksum) in checksums where checksum.count == 0 || checksum != expected {
      throw RawError(
        description: "\(benchmark): \(name) came to \(checksum), \(first) to \(expected)"
      )
    }
  }
}

/// Something read that is an item, in whatever form.
protocol HasPlainItem {
  /// The item as every contestant can tell it.
  func plain() throws -> RawItem
}
