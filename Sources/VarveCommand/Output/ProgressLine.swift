#if CommandLine
/// The text of a progress line.
struct ProgressLine {
  private static let barWidth = 24

  let what: String
  let unit: String
  let done: Int
  let total: Int?
  let elapsed: Duration

  /// `check  [████      ]  1,200 of 5,000 steps, 800/s, 5 s left`; without a total or a count, only
  /// the parts that are known.
  var text: String {
    guard done > 0 else { return "\(what), \(Self.shown(elapsed / .seconds(1)))" }
    let rate = Double(done) / max(elapsed / .seconds(1), 1e-9)
    var line = what
    if let total, total > 0 {
      line += "  [\(bar(of: total))]  \(grouped(done)) of \(grouped(total)) \(unit)"
    } else {
      line += "  \(grouped(done)) \(unit)"
    }
    line += ", \(grouped(Int(rate.rounded())))\(isAmount ? " \(unit)" : "")/s"
    if let total, total > done {
      line += ", \(Self.shown((Double(total - done) / rate).rounded(.up))) left"
    }
    return line
  }

  /// Whether a rate must include the unit to be understood.
  private var isAmount: Bool { unit == "MiB" }

  /// Returns the text, truncated so that a terminal does not wrap it.
  func fitting(_ columns: Int) -> String { text.truncated(toDisplayWidth: max(1, columns - 1)) }

  private func bar(of total: Int) -> String {
    let full = Int(Double(Self.barWidth) * min(1, Double(done) / Double(total)))
    return String(repeating: "█", count: full)
      + String(repeating: " ", count: Self.barWidth - full)
  }

  /// `42 s`, `3 min 5 s`, `2 h 10 min`.
  private static func shown(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9))
    if whole < 60 { return "\(whole) s" }
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(grouped(whole / 3_600)) h \(whole / 60 % 60) min"
  }
}
#endif
