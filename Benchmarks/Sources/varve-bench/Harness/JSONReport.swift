import Foundation

/// The results for programs.
struct JSONReport: Encodable {
  /// What one contestant needed for one thing it did.
  struct Cost: Encodable {
    let benchmark: String
    let contestant: String
    let unit: String
    /// How many things one run did.
    let count: Int
    let median: Double
    let low: Double
    let high: Double
  }

  struct Line: Encodable {
    let name: String
    let anchor: String
    let ratio: Double
    let low: Double
    let high: Double
    let bar: Double?
  }

  private(set) var costs: [Cost] = []
  private(set) var ratios: [Line] = []

  mutating func add(_ measurement: Measurement) {
    for contestant in measurement.benchmark.contestants {
      let (sample, count) = (measurement.sample(of: contestant.name), Double(contestant.count))
      costs.append(
        Cost(
          benchmark: measurement.benchmark.name,
          contestant: contestant.name,
          unit: measurement.benchmark.unit == .seconds ? "seconds" : "bytes",
          count: contestant.count,
          median: sample.median / count,
          low: sample.low / count,
          high: sample.high / count
        )
      )
    }
    ratios += measurement.ratios.map { ratio in
      Line(
        name: ratio.comparison.name,
        anchor: ratio.comparison.anchor,
        ratio: Self.rounded(ratio.ratio),
        low: Self.rounded(ratio.low),
        high: Self.rounded(ratio.high),
        bar: ratio.comparison.bar?.limit
      )
    }
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}
