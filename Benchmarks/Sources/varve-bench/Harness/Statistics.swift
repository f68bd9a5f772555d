import Foundation

/// Repeated measurements: median and quartiles.
struct Sample {
  private let sorted: [Double]

  init(_ values: [Double]) { sorted = values.sorted() }

  var median: Double { quantile(0.5) }
  var low: Double { quantile(0.25) }
  var high: Double { quantile(0.75) }

  /// Returns a quantile, interpolated linearly between the two nearest values.
  private func quantile(_ part: Double) -> Double {
    guard let last = sorted.indices.last else { return .nan }
    let position = part * Double(last)
    let index = Int(position)
    guard index < last else { return sorted[last] }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
  }
}

extension Double {
  /// Three significant digits or so, without an exponent.
  var shown: String {
    let digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", self)
  }

  /// Seconds in the unit that suits them.
  var shownAsTime: String {
    switch magnitude {
    case 1...: "\(shown) s"
    case 1e-3...: "\((self * 1e3).shown) ms"
    case 1e-6...: "\((self * 1e6).shown) µs"
    default: "\((self * 1e9).shown) ns"
    }
  }
}
