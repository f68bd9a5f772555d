#if Server
public import Metrics
import Synchronization

/// A backend of swift-metrics that prints what was recorded in the text format of Prometheus.
///
/// It keeps a bounded number of series: clients cannot make it grow.
///
/// ```swift
/// let metrics = PrometheusMetrics()
/// Counter(label: "hats", factory: metrics).increment()
/// print(metrics.text())  // # TYPE hats counter …
/// ```
public final class PrometheusMetrics: MetricsFactory {
  /// A label and its dimensions.
  private struct Key: Hashable {
    let name: String
    let labels: String
  }

  private struct State {
    var series: [Key: Series] = [:]
    var refusedCount = 0
  }

  private let state = Mutex(State())
  private let seriesLimit: Int

  /// The name of the counter of series beyond the limit.
  private static let refused = "metrics_series_refused_total"

  /// Creates a backend.
  ///
  /// - Parameter seriesLimit: the most combinations of a label and its dimensions. Those beyond it
  ///   are not recorded, only counted.
  public init(seriesLimit: Int = 2_000) { self.seriesLimit = seriesLimit }

  /// Returns everything that was recorded.
  ///
  /// - Complexity: O(series log series).
  public func text() -> String {
    let (series, refusedCount) = state.withLock { ($0.series, $0.refusedCount) }
    var lines: [String] = []
    var name: String?
    for (key, one) in series.sorted(by: {
      ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels)
    }) {
      if name != key.name { lines.append("# TYPE \(key.name) \(one.kind.rawValue)") }
      name = key.name
      lines += one.lines(key.name, key.labels)
    }
    lines.append("# TYPE \(Self.refused) counter")
    lines.append("\(Self.refused) \(refusedCount)")
    return lines.joined(separator: "\n") + "\n"
  }

  private func series(
    _ label: String,
    _ dimensions: [(String, String)],
    _ kind: Series.Kind
  ) -> Series {
    let key = Key(name: Self.name(label), labels: Self.labels(dimensions))
    return state.withLock { state in
      if let known = state.series[key] { return known }
      let new = Series(kind)
      guard state.series.count < seriesLimit else {
        state.refusedCount += 1
        return new
      }
      state.series[key] = new
      return new
    }
  }

  /// Returns a name of letters, digits and underscores.
  private static func name(_ text: String) -> String {
    let name = String(
      text.unicodeScalars.map { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ":": Character(scalar)
        default: "_"
        }
      }
    )
    return name.first?.isNumber ?? true ? "_" + name : name
  }

  private static func labels(_ dimensions: [(String, String)]) -> String {
    dimensions.sorted { $0.0 < $1.0 }.map { dimension in
      let value = dimension.1.prefix(128).replacing("\\", with: "\\\\")
        .replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\(name(dimension.0))=\"\(value)\""
    }.joined(separator: ",")
  }

  // MARK: Factory

  /// See `MetricsFactory`.
  public func makeCounter(
    label: String,
    dimensions: [(String, String)]
  ) -> any CounterHandler { series(label, dimensions, .counter) }

  /// See `MetricsFactory`.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge)
  }

  /// See `MetricsFactory`.
  public func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler { series(label, dimensions, aggregate ? .histogram : .gauge) }

  /// See `MetricsFactory`. Times are printed in seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, .histogram)
  }

  /// Has no effect: a series stays for the next scrape.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Has no effect: a series stays for the next scrape.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Has no effect: a series stays for the next scrape.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Has no effect: a series stays for the next scrape.
  public func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
