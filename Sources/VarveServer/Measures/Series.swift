#if Server
import Metrics
import Synchronization

/// One series of measurements.
final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  /// What the numbers of a series are.
  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  private struct State {
    var value = 0.0
    var count = 0
    var buckets = [Int](repeating: 0, count: Series.bounds.count)
  }

  /// The upper bounds of the buckets of a histogram, in seconds for times.
  private static let bounds = [
    0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]

  let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind) { self.kind = kind }

  func increment(by amount: Int64) { add(Double(amount)) }

  func increment(by amount: Double) { add(amount) }

  func decrement(by amount: Double) { add(-amount) }

  func set(_ value: Int64) { set(Double(value)) }

  func set(_ value: Double) { state.withLock { $0.value = value } }

  func reset() { state.withLock { $0 = State() } }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    guard kind == .histogram else { return set(value) }
    state.withLock { state in
      state.value += value
      state.count += 1
      if let index = Self.bounds.firstIndex(where: { value <= $0 }) { state.buckets[index] += 1 }
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  private func add(_ amount: Double) { state.withLock { $0.value += amount } }

  /// Returns the lines of the series in the text format of Prometheus.
  func lines(_ name: String, _ labels: String) -> [String] {
    let state = state.withLock { $0 }
    let braced = labels.isEmpty ? "" : "{\(labels)}"
    guard kind == .histogram else { return ["\(name)\(braced) \(Self.text(state.value))"] }
    let separator = labels.isEmpty ? "" : ","
    var sum = 0
    var lines = zip(Self.bounds, state.buckets).map { bound, count in
      sum += count
      return "\(name)_bucket{\(labels)\(separator)le=\"\(Self.text(bound))\"} \(sum)"
    }
    lines.append("\(name)_bucket{\(labels)\(separator)le=\"+Inf\"} \(state.count)")
    lines.append("\(name)_sum\(braced) \(Self.text(state.value))")
    lines.append("\(name)_count\(braced) \(state.count)")
    return lines
  }

  private static func text(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
#endif
