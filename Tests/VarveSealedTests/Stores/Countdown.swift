import Synchronization

/// Ends once.
final class Countdown: Sendable {
  private let left: Mutex<Int?>

  init(_ count: Int?) { left = Mutex(count) }

  func ends() -> Bool {
    left.withLock { left in
      guard let count = left else { return false }
      left = count - 1
      return count == 0
    }
  }
}
