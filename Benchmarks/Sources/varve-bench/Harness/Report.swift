import Foundation

/// The results for people.
enum Report {
  static func printHead(_ options: Options, _ workspace: Workspace) {
    show("machine      \(Machine.description)")
    show("system       \(Machine.systemDescription)")
    show("SQLite       \(Machine.sqliteVersion)")
    show("databases    \(workspace.root.path)")
    show("pragmas      \(Pragmas.description)")
    show(
      "repetitions  \(options.repetitionCount), interleaved; medians, and quartiles in brackets"
        + (options.isQuick ? "; quick: a tenth of the size" : "")
    )
    show("rate         the subject's rate in multiples of the anchor's: more is better")
    show("cost         the subject's cost in multiples of the anchor's: less is better")
  }

  static func print(_ measurement: Measurement, seconds: Double) {
    show("\n" + measurement.benchmark.name.padded(58) + "  took \(seconds.shownAsTime)")
    for contestant in measurement.benchmark.contestants {
      let sample = measurement.sample(of: contestant.name)
      show(
        "  " + contestant.name.padded(36)
          + shown(sample.median, contestant, measurement).padded(-14)
          + "  [\(shown(sample.low, contestant, measurement)) – "
          + "\(shown(sample.high, contestant, measurement))]"
      )
    }
    for ratio in measurement.ratios {
      let kind = ratio.comparison.kind == .rate ? "rate" : "cost"
      show(
        "    " + "\(kind) to \(ratio.comparison.anchor)".padded(46)
          + "\(ratio.ratio.shown) ×".padded(-9)
          + "  [\(ratio.low.shown) – \(ratio.high.shown)]".padded(20) + verdict(ratio)
      )
    }
  }

  private static func shown(
    _ cost: Double,
    _ contestant: Benchmark.Contestant,
    _ measurement: Measurement
  ) -> String {
    let one = cost / Double(contestant.count)
    return switch measurement.benchmark.unit {
    case .seconds: one.shownAsTime
    case .bytes: "\(one.shown) bytes"
    }
  }

  private static func verdict(_ ratio: Measurement.Ratio) -> String {
    guard let bar = ratio.comparison.bar, let isMet = ratio.isMet else {
      return "  for information"
    }
    return "  bar \(bar.text): \(isMet ? "met" : "MISSED")"
  }

  /// Prints a line at once, so that a long run can be followed.
  static func show(_ line: String) {
    Swift.print(line)
    fflush(nil)
  }
}

extension String {
  /// Returns the text padded to a width; aligned right if the width is negative.
  fileprivate func padded(_ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - count))
    return width < 0 ? space + self : self + space
  }
}
