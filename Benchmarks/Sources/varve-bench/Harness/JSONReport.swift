import Foundation

/// The results for programs.
struct JSONReport: Encodable {
  /// The conditions of the measurement.
  struct Setting: Encodable {
    let time: Date
    let machine: String
    let system: String
    let swift: String
    let sqlite: String
    let pragmas: String
    let repetitions: Int
    /// The sizes, in parts of the full ones.
    let scale: Double
    /// Threads that wanted a core, before and after.
    var loads: [Double]
  }

  /// The cost of a contestant for one operation.
  struct Cost: Encodable {
    let benchmark: String
    let contestant: String
    let unit: String
    /// The number of operations in one run.
    let count: Int
    let median: Double
    let low: Double
    let high: Double
  }

  /// One comparison's outcome.
  struct Line: Encodable {
    let benchmark: String
    let name: String
    let subject: String
    let anchor: String
    /// "rate", for which more is better, or "cost", for which less is.
    let kind: String
    let ratio: Double
    let low: Double
    let high: Double
    let bar: Double?
    let isMet: Bool?
  }

  /// The duration of a benchmark, including preparations.
  struct Duration: Encodable {
    let benchmark: String
    let seconds: Double
  }

  private(set) var setting: Setting
  private(set) var costs: [Cost] = []
  private(set) var ratios: [Line] = []
  private(set) var durations: [Duration] = []

  init(_ options: Options) {
    setting = Setting(
      time: Date(),
      machine: Machine.description,
      system: Machine.systemDescription,
      swift: Machine.swiftVersion,
      sqlite: Machine.sqliteVersion,
      pragmas: Pragmas.description,
      repetitions: options.repetitionCount,
      scale: options.part,
      loads: [Machine.load]
    )
  }

  mutating func add(_ measurement: Measurement, seconds: Double) {
    let benchmark = measurement.benchmark
    durations.append(Duration(benchmark: benchmark.name, seconds: seconds))
    for contestant in benchmark.contestants {
      let (sample, count) = (measurement.sample(of: contestant.name), Double(contestant.count))
      costs.append(
        Cost(
          benchmark: benchmark.name,
          contestant: contestant.name,
          unit: benchmark.unit == .seconds ? "seconds" : "bytes",
          count: contestant.count,
          median: sample.median / count,
          low: sample.low / count,
          high: sample.high / count
        )
      )
    }
    ratios += measurement.ratios.map { Self.line($0, of: benchmark.name) }
  }

  private static func line(_ ratio: Measurement.Ratio, of benchmark: String) -> Line {
    let comparison = ratio.comparison
    return Line(
      benchmark: benchmark,
      name: comparison.name,
      subject: comparison.subject,
      anchor: comparison.anchor,
      kind: comparison.kind == .rate ? "rate" : "cost",
      ratio: rounded(ratio.ratio),
      low: rounded(ratio.low),
      high: rounded(ratio.high),
      bar: comparison.bar?.limit,
      isMet: ratio.isMet
    )
  }

  mutating func write(to path: String) throws {
    setting.loads.append(Machine.load)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}
