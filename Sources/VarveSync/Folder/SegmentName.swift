import VarveCore

/// The name of a segment: which commits it holds, and how large it is when it is whole.
///
/// `<replica>-<first number>-<last number>-<hash of the last>-<bytes>.varve-segment`
package struct SegmentName: Sendable, Hashable {
  /// The number of the first commit.
  let first: Int64
  /// The last commit.
  let head: CommitID
  /// How many bytes the whole file has.
  let byteCount: Int

  static let suffix = ".varve-segment"
  /// Beside a segment somebody found damaged; whoever has its commits writes it again.
  static let damagedSuffix = ".damaged"

  init(first: Int64, head: CommitID, byteCount: Int) {
    self.first = first
    self.head = head
    self.byteCount = byteCount
  }

  /// Reads a name; nil for that of another file.
  init?(_ text: String) {
    guard text.hasSuffix(Self.suffix) else { return nil }
    let stem = text.dropLast(Self.suffix.count)
    guard stem.utf8.count > 36, let replica = ReplicaID(String(stem.prefix(36))) else { return nil }
    let parts = stem.dropFirst(36).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, let first = Int64(parts[1]), first > 0,
      let last = Int64(parts[2]), last >= first, let hash = Digest(hexadecimal: String(parts[3])),
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
  /// Lower numbers first, so that what others need mostly comes before them.
  package static func < (left: SegmentName, right: SegmentName) -> Bool {
    (left.first, left.head, left.byteCount) < (right.first, right.head, right.byteCount)
  }
}
