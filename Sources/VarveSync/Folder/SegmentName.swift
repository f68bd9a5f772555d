import VarveCore

/// The name of a segment: which commits it holds, and the size of the complete file.
///
/// `<replica>-<first number>-<last number>-<hash of the last>-<bytes>.varve-segment`
package struct SegmentName: Sendable, Hashable {
  /// The number of the first commit.
  let first: Int64
  /// The last commit.
  let head: CommitID
  /// The size of the complete file, in bytes.
  let byteCount: Int

  static let suffix = ".varve-segment"
  /// Marks a segment that was found damaged. A store that has its commits writes it again.
  static let damagedSuffix = ".damaged"

  init(first: Int64, head: CommitID, byteCount: Int) {
    self.first = first
    self.head = head
    self.byteCount = byteCount
  }

  /// Parses a name; nil for a file that is not a segment.
  init?(_ text: String) {
    guard text.hasSuffix(Self.suffix) else { return nil }
    let stem = text.dropLast(Self.suffix.count)
    guard stem.utf8.count > 36, let replica = ReplicaID(String(stem.prefix(36))) else { return nil }
    let parts = stem.dropFirst(36).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, let first = Int64(parts[1]), first > 0,
      let last = Int64(parts[2]), last >= first,
      let hash = ContentDigest(hexadecimal: String(parts[3])),
      let byteCount = Int(parts[4])
    else { return nil }
    self.first = first
    head = CommitID(replica: replica, sequence: last, hash: hash)
    self.byteCount = byteCount
    guard self.text == text else { return nil }
  }

  var text: String {
    "\(head.replica.text)-\(first)-\(head.sequence)-\(head.hash.hexadecimal)-\(byteCount)\(Self.suffix)"
  }
}

extension SegmentName: Comparable {
  /// Lower numbers first, so that most commits come after those they depend on.
  package static func < (left: SegmentName, right: SegmentName) -> Bool {
    (left.first, left.head, left.byteCount) < (right.first, right.head, right.byteCount)
  }
}
