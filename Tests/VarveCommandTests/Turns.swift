#if CommandLine && Server && YAML
/// Limits concurrency, because hundreds of concurrent tasks would run out of file descriptors.
actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(atOnce count: Int) { free = count }

  /// Waits for a turn.
  func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Ends a turn.
  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
#endif
