/// The names of contestants in several benchmarks.
enum Contestants {
  static let varve = "Varve"
  static let raw = "raw SQLite"
  static let records = "GRDB Codable"
  static let handwritten = "GRDB hand-written"
  /// GRDB with handwritten SQL, if records' own methods are another contestant.
  static let statements = "GRDB statements"
  static let rowPerValue = "row per value"
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

extension [Benchmark.Comparison] {
  /// Varve's rate of reading compared with that of the common alternatives.
  static func rates(
    _ name: String,
    toRaw: Bar?,
    toRecords: Bar? = nil
  ) -> [Benchmark.Comparison] {
    [
      .rate(name, to: Contestants.raw, toRaw),
      .rate(name, to: Contestants.records, toRecords),
      .rate(name, to: Contestants.handwritten, nil),
      .rate(name, to: Contestants.rowPerValue, nil),
    ]
  }

  /// Returns the comparisons of writing, in which GRDB has one more contestant.
  static func ratesOfWriting(
    _ name: String,
    toRaw: Bar?,
    toRecords: Bar? = nil
  ) -> [Benchmark.Comparison] {
    rates(name, toRaw: toRaw, toRecords: toRecords)
      + [.rate(name, to: Contestants.statements, nil)]
  }
}
