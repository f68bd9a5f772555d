import Synchronization

/// The clock of a world, which stops until it is advanced.
final class Clock: Sendable {
  private let milliseconds: Mutex<Int64>

  init(millisecondsSince1970: Int64) { milliseconds = Mutex(millisecondsSince1970) }

  /// The time of the clock.
  var now: Int64 { milliseconds.withLock { $0 } }

  /// Goes on by a second.
  func advance() { milliseconds.withLock { $0 += 1_000 } }

  func set(_ millisecondsSince1970: Int64) {
    milliseconds.withLock { $0 = millisecondsSince1970 }
  }
}
