#if canImport(Glibc)
import Glibc
import Synchronization

/// The system's random numbers. On Linux each call of the system costs as much as digesting a small
/// block, so several numbers are fetched at a time.
///
/// A number is erased when it is handed out. A process that forks hands out none that were fetched
/// before.
enum SystemRandomness {
  /// As many as one call of `getentropy` returns.
  private static let count = 256 / MemoryLayout<UInt64>.size

  private struct Stock {
    var numbers = [UInt64](repeating: 0, count: SystemRandomness.count)
    var left = 0
    var forkCount = 0
  }

  private static let stock = Mutex(Stock())

  /// The number of forks between the first process and this one, since the first use.
  private static let forkCount: Atomic<Int> = {
    pthread_atfork(nil, nil) { SystemRandomness.forkCount.add(1, ordering: .relaxed) }
    return Atomic(0)
  }()

  static func next() -> UInt64 {
    let forks = forkCount.load(ordering: .relaxed)
    return stock.withLock { stock in
      if stock.left == 0 || stock.forkCount != forks {
        guard fill(&stock.numbers) else {
          var system = SystemRandomNumberGenerator()
          return system.next()
        }
        (stock.left, stock.forkCount) = (count, forks)
      }
      stock.left -= 1
      defer { stock.numbers[stock.left] = 0 }
      return stock.numbers[stock.left]
    }
  }

  private static func fill(_ numbers: inout [UInt64]) -> Bool {
    numbers.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
  }
}
#else
/// The system's random numbers.
enum SystemRandomness {
  static func next() -> UInt64 {
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
#endif
