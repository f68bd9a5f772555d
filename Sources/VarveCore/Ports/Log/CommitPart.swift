/// A part of a commit in transit: first its header, then each of its blocks in order.
///
/// A bulk commit may be larger than memory; its parts are not.
package enum CommitPart: Sendable {
  /// The start of a commit.
  case header(CommitHeader)
  /// The next block of the current commit.
  case block(Block)
}
