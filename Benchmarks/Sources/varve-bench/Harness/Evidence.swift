/// The result of a contestant's work, to be compared with the others' results, because a contestant
/// that reads nothing would be the fastest.
///
/// It is collected in the first repetition only and while the clock is stopped, so that further
/// repetitions execute none of its instructions.
final class Evidence {
  /// Whether this repetition's results are compared.
  let isWanted: Bool
  private(set) var checksum = Checksum()

  /// The number of results, and a sum of their hashes, which are valid in this process only.
  struct Checksum: Hashable, CustomStringConvertible {
    fileprivate(set) var count = 0
    fileprivate var sum = 0

    var description: String { "\(count) results, sum \(sum)" }
  }

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Adds the items that one query returned, in any order.
  func take<Items: Sequence>(_ items: Items) throws where Items.Element: HasPlainItem {
    guard isWanted else { return }
    var sum = 0
    for item in items {
      sum &+= try item.plain().hashValue
      checksum.count += 1
    }
    checksum.sum = checksum.sum &* 31 &+ sum
  }

  /// Throws unless all results are equal.
  static func compare(_ checksums: [(name: String, Checksum)], in benchmark: String) throws {
    guard let (first, expected) = checksums.first, checksums.count > 1 else { return }
    for (name, checksum) in checksums where checksum.count == 0 || checksum != expected {
      throw RawError(
        description: "\(benchmark): \(name) has \(checksum), \(first) has \(expected)"
      )
    }
  }
}

/// Something read that is an item, in whatever form.
protocol HasPlainItem {
  /// Returns the item in the form that all contestants share.
  func plain() throws -> RawItem
}
