import Synchronization

/// A wall clock that stops until it is moved.
package final class TestClock: Sendable {
  private let milliseconds: Mutex<Int64>

  /// Creates a clock with a time in milliseconds since 1970.
  package init(milliseconds: Int64 = 1_700_000_000_000) {
    self.milliseconds = Mutex(milliseconds)
  }

  /// The time of the clock.
  package var now: Int64 { milliseconds.withLock { $0 } }

  /// Moves the clock; a negative number moves it back.
  package func advance(by change: Int64) { milliseconds.withLock { $0 += change } }

  /// Sets the clock to a time in milliseconds since 1970.
  package func set(_ milliseconds: Int64) { self.milliseconds.withLock { $0 = milliseconds } }

  /// Returns the clock as a device reads it whose clock is wrong by `skew` milliseconds.
  package func reading(skew: Int64 = 0) -> @Sendable () -> Int64 {
    { self.now + skew }
  }
}
