/// The progress of a backup.
public struct BackupProgress: Sendable, Hashable {
  /// What a backup does: first it copies the store, then it checks the copy.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Pages are copied.
    case copying
    /// The copy is checked; the steps are those of ``CheckProgress``.
    case checking
  }

  /// What the backup does now.
  public let phase: Phase
  /// The number of steps of the phase that are done.
  public let done: Int
  /// The number of steps of the phase.
  public let total: Int

  package init(_ phase: Phase, done: Int, total: Int) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}
