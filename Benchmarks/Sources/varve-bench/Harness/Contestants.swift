/// The names of those who run in several benchmarks.
enum Contestants {
  static let varve = "Varve"
  static let raw = "raw SQLite"
  static let records = "GRDB Codable"
}

extension Benchmark.Comparison {
  /// Varve's rate against another contestant's.
  static func rate(_ name: String, to anchor: String, _ bar: Bar?) -> Benchmark.Comparison {
    Benchmark.Comparison(
      name: name,
      subject: Contestants.varve,
      anchor: anchor,
      kind: .rate,
      bar: bar
    )
  }
}
