#if Server
import Metrics

/// What is measured of a home, and of the indexes that this host keeps.
struct HomeGauges {
  private let spaces: SpaceDirectory
  private let shelf: HomeShelf
  private let isThere: Gauge
  private let byteCount: Gauge
  private let limit: Gauge?

  /// - Returns: nil if the spaces are not at a home.
  init?(_ spaces: SpaceDirectory, _ metrics: PrometheusMetrics) {
    guard let shelf = spaces.homeShelf else { return nil }
    self.spaces = spaces
    self.shelf = shelf
    isThere = Gauge(label: "varve_home_reachable", factory: metrics)
    byteCount = Gauge(label: "varve_index_bytes", factory: metrics)
    limit = shelf.cache.limit.map { _ in
      Gauge(label: "varve_index_bytes_limit", factory: metrics)
    }
  }

  func record() async {
    isThere.record(await spaces.homeState == .away ? 0 : 1)
    byteCount.record(shelf.cache.byteCount)
    if let bytes = shelf.cache.limit { limit?.record(bytes) }
  }
}
#endif
