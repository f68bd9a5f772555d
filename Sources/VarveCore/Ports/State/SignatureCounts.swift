/// How many commits of a sealed space count, by their signatures (R29).
public struct SignatureCounts: Sendable, Hashable {
  /// Commits below a valid signature of a device that might write them.
  public let signedCount: Int
  /// Commits that were written here, and are signed when they are handed over. They count here.
  public let unsignedCount: Int
  /// Commits that do not count yet.
  public let waitingCount: Int
  /// Commits that never count.
  public let voidCount: Int

  package init(signedCount: Int, unsignedCount: Int, waitingCount: Int, voidCount: Int) {
    self.signedCount = signedCount
    self.unsignedCount = unsignedCount
    self.waitingCount = waitingCount
    self.voidCount = voidCount
  }
}
