import Synchronization

/// Generates rising identifiers: UUIDs of version 7 with a random counter (RFC 9562, 6.2, method
/// 2).
///
/// In a new millisecond the 74 bits after the time are random, the highest of them zero; within a
/// millisecond they grow by a random step of up to 32 bits. The random generator is seeded by the
/// system, again after every 4,096 numbers: identifiers are unique, not secret. A process that
/// forks without executing another program generates the same identifiers in both halves.
final class FreshIdentifiers: Sendable {
  static let shared = FreshIdentifiers()

  fileprivate struct State {
    var milliseconds: Int64 = -1
    /// The 12 bits beside the version, and the 62 bits beside the variant.
    var upper: UInt64 = 0
    var lower: UInt64 = 0
    fileprivate var random = Xoshiro256()
  }

  private let state = Mutex(State())

  func next() -> EntityID {
    let now = max(0, SystemClock.coarseMillisecondsSince1970())
    return state.withLock { $0.next(now) }
  }
}

extension FreshIdentifiers.State {
  /// Returns the next identifier, which is higher even if the clock was set back.
  fileprivate mutating func next(_ now: Int64) -> EntityID {
    if now > milliseconds {
      milliseconds = now
      upper = random.next() & 0x07FF
      lower = random.next() & 0x3FFF_FFFF_FFFF_FFFF
    } else {
      lower += 1 + random.next() & 0xFFFF_FFFF
      if lower > 0x3FFF_FFFF_FFFF_FFFF {
        lower &= 0x3FFF_FFFF_FFFF_FFFF
        upper += 1
      }
      if upper > 0x0FFF {
        upper = 0
        milliseconds += 1
      }
    }
    let time = UInt64(bitPattern: milliseconds) & 0xFFFF_FFFF_FFFF
    return EntityID(
      storage: .uuid(high: time << 16 | 0x7000 | upper, low: lower | 0x8000_0000_0000_0000)
    )
  }
}

/// Blackman and Vigna's xoshiro256** (https://prng.di.unimi.it/xoshiro256starstar.c), repeatedly
/// seeded by the system.
private struct Xoshiro256 {
  private var s: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var left = 0

  mutating func next() -> UInt64 {
    if left == 0 { seed() }
    left -= 1
    let result = rotated(s.1 &* 5, 7) &* 9
    let t = s.1 << 17
    s.2 ^= s.0
    s.3 ^= s.1
    s.1 ^= s.2
    s.0 ^= s.3
    s.2 ^= t
    s.3 = rotated(s.3, 45)
    return result
  }

  private func rotated(_ x: UInt64, _ k: UInt64) -> UInt64 { x << k | x >> (64 - k) }

  private mutating func seed() {
    var system = SystemRandomNumberGenerator()
    repeat {
      s = (system.next(), system.next(), system.next(), system.next())
    } while s == (0, 0, 0, 0)
    left = 4_096
  }
}
