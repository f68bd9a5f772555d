/// What a session may hold and send at once, in bytes.
package struct SyncLimits: Sendable, Hashable {
  /// The most of the stream of commits on its way, not taken in by the other side.
  package var window = 4 << 20
  /// The most of it one frame carries.
  package var frame = 64 << 10
  /// About how much is read from the log at a time.
  package var part = 1 << 20
  /// About how much is added to the log at a time.
  package var append = 1 << 20
  /// A larger commit goes block by block, and is kept aside until all of it is there.
  package var whole = 8 << 20
  /// The most kept of commits that wait for others.
  package var waiting = 8 << 20
  /// As many segments of a folder, at least, are joined to one.
  package var joinCount = 16
  /// Larger segments are not joined.
  package var joinByteCount = 256 << 10
  /// How long a segment, and the one that holds its commits too, must have been there before it is
  /// taken away.
  package var joinedAgeMilliseconds: Int64 = 86_400_000
  /// Heads in a frame.
  package var headCount = 4_096

  package init() {}
}
