/// The limits on the data that a session may hold and send at once, in bytes.
package struct SyncLimits: Sendable, Hashable {
  /// The maximum number of bytes of the stream of commits that may be unacknowledged.
  package var window = 4 << 20
  /// The maximum number of bytes of the stream in one frame.
  package var frame = 64 << 10
  /// Roughly how much is read from the log at a time.
  package var part = 1 << 20
  /// Roughly how much is added to the log at a time.
  package var append = 1 << 20
  /// A larger commit is sent block by block, and staged until it is complete.
  package var whole = 8 << 20
  /// The maximum size of the kept commits that wait for others, in bytes.
  package var waiting = 8 << 20
  /// The minimum number of segments of a folder that are joined into one.
  package var joinCount = 16
  /// Larger segments are not joined.
  package var joinByteCount = 256 << 10
  /// The age a segment, and the one that contains its commits, must have before the former is
  /// removed.
  package var joinedAgeMilliseconds: Int64 = 86_400_000
  /// The maximum number of commits in a request.
  package var requestCommitCount = 100_000
  /// The maximum number of parked commits that a reply names.
  package var namedParkedCount = 1_000
  /// The maximum number of heads in a frame.
  package var headCount = 4_096

  package init() {}
}
