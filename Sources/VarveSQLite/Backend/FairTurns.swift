import Dispatch
import Synchronization

/// Makes tasks that read or write in a loop take turns with others.
///
/// Reads and writes seldom suspend, so a loop of them would keep its thread for good, and on a
/// device with two threads two such loops would keep all other tasks waiting.
enum FairTurns {
  private static let lastYield = Atomic<UInt64>(0)
  /// How long tasks run between two yields: a yield wakes another thread, which mostly takes the
  /// task over, and costs as much as several reads.
  private static let turnNanoseconds: UInt64 = 1_000_000

  /// Whether no task has yielded for some time. Then the caller, which holds no lock, yields.
  @inline(__always)
  static func isDue() -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    let last = lastYield.load(ordering: .relaxed)
    guard now > last + turnNanoseconds else { return false }
    let (isMine, _) = lastYield.compareExchange(
      expected: last,
      desired: now,
      ordering: .relaxed
    )
    return isMine
  }
}
