import Foundation

/// A line on standard error about work that takes more than a second: how far it is, how fast, how
/// long it will take. Silent where standard error is no terminal.
struct Progress {
  private static let barWidth = 24

  private let what: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var last = ContinuousClock.now
  private var hasShown = false

  init(_ what: String) { self.what = what }

  /// Shows how far the work is, at most ten times a second.
  ///
  /// - Parameters:
  ///   - done: how much is done.
  ///   - total: of how much, where that is known.
  ///   - unit: what is counted.
  mutating func show(_ done: Int, of total: Int?, _ unit: String) {
    guard isShown else { return }
    let now = ContinuousClock.now
    guard now - start > .seconds(1), now - last > .milliseconds(100) else { return }
    last = now
    hasShown = true
    Output.rewrite(Self.line(what, done, of: total, unit, after: now - start))
  }

  /// Takes the line away.
  func end() {
    if hasShown { Output.rewrite("") }
  }

  /// `batch  [████      ]  1,200 of 5,000 operations, 800/s, 5 s left`
  static func line(
    _ what: String,
    _ done: Int,
    of total: Int?,
    _ unit: String,
    after elapsed: Duration
  ) -> String {
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var line = what
    if let total, total > 0 {
      let full = min(barWidth, done * barWidth / total)
      let bar =
        String(repeating: "█", count: full) + String(repeating: " ", count: barWidth - full)
      line += "  [\(bar)]  \(grouped(done)) of \(grouped(total)) \(unit)"
    } else {
      line += "  \(grouped(done)) \(unit)"
    }
    line += ", \(grouped(Int(rate.rounded())))/s"
    if let total, rate > 0, total > done {
      line += ", \(grouped(Int((Double(total - done) / rate).rounded(.up)))) s left"
    }
    return line
  }
}
