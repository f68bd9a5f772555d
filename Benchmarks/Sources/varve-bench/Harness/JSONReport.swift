import Foundation

/// The results for programs.
enum JSONReport {
  private struct Line: Encodable {
    let name: String
    let anchor: String
    let ratio: Double
    let low: Double
    let high: Double
    let bar: Double?

    enum CodingKeys: String, CodingKey {
      case name
      case anchor
      case ratio
      case low
      case high
      case bar
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(anchor, forKey: .anchor)
      try container.encode(ratio, forKey: .ratio)
      try container.encode(low, forKey: .low)
      try container.encode(high, forKey: .high)
      try container.encode(bar, forKey: .bar)
    }
  }

  static func write(_ ratios: [Measurement.Ratio], to path: String) throws {
    let lines = ratios.map { ratio in
      Line(
        name: ratio.comparison.name,
        anchor: ratio.comparison.anchor,
        ratio: rounded(ratio.ratio),
        low: rounded(ratio.low),
        high: rounded(ratio.high),
        bar: ratio.comparison.bar?.limit
      )
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(lines).write(to: URL(fileURLWithPath: path))
  }

  private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}
